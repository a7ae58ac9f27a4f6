/**
 * The pure decisions of a partition server: whether a write is executed and with what result, the answer of a scan, and the load of a
 * range. They see values and views only; {@code range} and {@code opening} supply these and act on the results.
 */
@NullMarked
package cleave.server.policy;

import org.jspecify.annotations.NullMarked;
