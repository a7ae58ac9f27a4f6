/** The planted bugs, and what each of them changes. Knows the world, and the interfaces of the production code. */
@NullMarked
package cleave.chaos.sim.bugs;

import org.jspecify.annotations.NullMarked;
