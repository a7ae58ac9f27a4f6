/** What a partition server counts and times; the only place that knows the metrics library. */
@NullMarked
package cleave.server.metrics;

import org.jspecify.annotations.NullMarked;
