/**
 * The state that the masters replicate: the partition map, the live servers, table ids, table drops, and the pure step
 * that applies a command. Neighbours: {@code cleave.master.raft} applies commands to it, the packages of the loop read
 * it.
 */
@NullMarked
package cleave.master.state;

import org.jspecify.annotations.NullMarked;
