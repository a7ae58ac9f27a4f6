/** Time, network, RPC, processes and traces of a simulation, and how calls are intercepted. Knows no part of a cluster. */
@NullMarked
package cleave.chaos.sim.world;

import org.jspecify.annotations.NullMarked;
