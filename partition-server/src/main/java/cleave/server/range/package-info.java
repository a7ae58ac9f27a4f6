/**
 * A range while it is served: it admits, orders, logs, confirms and answers requests, rolls its log, makes checkpoints
 * and publishes manifests. One event loop owns a range for its whole life. Start with {@link
 * cleave.server.range.RangeState}, its state with the tables of transitions, and {@link cleave.server.range.Range}, which carries it
 * out.
 */
@NullMarked
package cleave.server.range;

import org.jspecify.annotations.NullMarked;
