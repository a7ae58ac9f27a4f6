/** The metrics of a partition server; the only package that uses the metrics library. */
@NullMarked
package cleave.server.metrics;

import org.jspecify.annotations.NullMarked;
