/**
 * Cleave's roles as real processes that can be killed, paused, cut off and started again, and what their admin ports tell of
 * them.
 */
@NullMarked
package cleave.chaos.process;

import org.jspecify.annotations.NullMarked;
