/** The faults of a seed, and the operators. Knows the cluster. */
@NullMarked
package cleave.chaos.sim.faults;

import org.jspecify.annotations.NullMarked;
