/** Clients that never retry and record every answer, while the processes that serve them are killed, paused and cut off. */
@NullMarked
package cleave.chaos.fault;

import org.jspecify.annotations.NullMarked;
