/**
 * A range while it is served: it admits, orders, logs, confirms and answers requests, rolls its log, makes checkpoints
 * and publishes manifests. One event loop owns a range for its whole life. Start with {@link
 * cleave.server.range.RangeState}, which has the tables of all that it may do, and {@link cleave.server.range.Range},
 * which carries them out.
 */
@NullMarked
package cleave.server.range;

import org.jspecify.annotations.NullMarked;
