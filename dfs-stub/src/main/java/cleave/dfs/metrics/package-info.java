/** The metrics of the DFS. Only {@link cleave.dfs.metrics.DfsMetrics} knows the metrics library. */
@NullMarked
package cleave.dfs.metrics;

import org.jspecify.annotations.NullMarked;
