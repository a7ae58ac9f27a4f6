/**
 * The replicated log as the core sees it: {@link Replication} is implemented by {@code cleave.master.raft} and by the simulator.
 * {@link Proposer} keeps one command of a kind under way.
 */
@NullMarked
package cleave.master.replication;

import org.jspecify.annotations.NullMarked;
