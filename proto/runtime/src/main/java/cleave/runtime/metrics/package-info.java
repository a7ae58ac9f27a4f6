/** What the metrics of all roles have in common. Knows no metrics library: that is for the roles' own {@code metrics} packages. */
@NullMarked
package cleave.runtime.metrics;

import org.jspecify.annotations.NullMarked;
