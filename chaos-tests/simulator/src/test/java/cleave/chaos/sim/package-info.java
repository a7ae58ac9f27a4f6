/** Seeds of the simulator, that it is deterministic, and that it finds bugs. */
@NullMarked
package cleave.chaos.sim;

import org.jspecify.annotations.NullMarked;
