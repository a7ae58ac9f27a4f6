/** Clusters of production cores, their clients, and the checks of what these see. Knows the DFS and the log below them. */
@NullMarked
package cleave.chaos.sim.cluster;

import org.jspecify.annotations.NullMarked;
