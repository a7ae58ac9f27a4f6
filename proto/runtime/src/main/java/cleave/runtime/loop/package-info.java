/**
 * The event loops that run the cores: one loop owns one state. A core gets time, timers and threads only through these interfaces, so that
 * the simulator can replace them.
 */
@NullMarked
package cleave.runtime.loop;

import org.jspecify.annotations.NullMarked;
