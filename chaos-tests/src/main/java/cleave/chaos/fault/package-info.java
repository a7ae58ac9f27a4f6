/** Clients that never retry and write down every answer, while the processes they talk to are killed, paused and cut off. */
@NullMarked
package cleave.chaos.fault;

import org.jspecify.annotations.NullMarked;
