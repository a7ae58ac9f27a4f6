/**
 * The pure decisions of a partition server: whether a write is executed and what results, what a scan returns, how hot
 * a range is. They see values and views only; {@code range} and {@code opening} supply these and act on the results.
 */
@NullMarked
package cleave.server.policy;

import org.jspecify.annotations.NullMarked;
