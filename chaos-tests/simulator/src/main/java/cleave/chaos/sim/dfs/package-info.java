/** The DFS: an engine that fails as its contract permits, and a real node on a forgetful disk. Knows the world and the planted bugs. */
@NullMarked
package cleave.chaos.sim.dfs;

import org.jspecify.annotations.NullMarked;
