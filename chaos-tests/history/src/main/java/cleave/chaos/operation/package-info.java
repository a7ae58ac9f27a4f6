/**
 * The operations of a history as requests of the Table protocol, and the answers as results. Knows {@code history} and {@code client}, no
 * process, no role: clients of real processes and of the simulator use it alike.
 */
@NullMarked
package cleave.chaos.operation;

import org.jspecify.annotations.NullMarked;
