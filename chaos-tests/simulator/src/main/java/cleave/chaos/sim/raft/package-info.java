/** The masters' replicated log in place of Ratis. Knows the world and the planted bugs. */
@NullMarked
package cleave.chaos.sim.raft;

import org.jspecify.annotations.NullMarked;
