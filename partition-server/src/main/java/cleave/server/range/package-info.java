/**
 * A range while it is served: requests are admitted, ordered, logged, confirmed and answered; the log is rolled, checkpoints are made
 * and manifests published. One event loop owns a range for its whole life. {@link cleave.server.range.Range} is the place to start.
 */
@NullMarked
package cleave.server.range;

import org.jspecify.annotations.NullMarked;
