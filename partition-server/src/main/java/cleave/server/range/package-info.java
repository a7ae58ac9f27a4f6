/**
 * A range while it is served: requests are admitted, ordered, logged, confirmed and answered; the log is rolled, checkpoints are made
 * and manifests published. One event loop owns a range for its whole life. Start with
 * {@link cleave.server.range.RangePhases}, the table of its phases, and {@link cleave.server.range.Range}, which carries it out.
 */
@NullMarked
package cleave.server.range;

import org.jspecify.annotations.NullMarked;
