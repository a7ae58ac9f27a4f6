/**
 * What drives a core: one event loop owns one state. Time, timers and threads reach a core only through these interfaces,
 * so that a simulator can stand in for them.
 */
@NullMarked
package cleave.runtime.loop;

import org.jspecify.annotations.NullMarked;
