/** The common part of all roles' metrics. It knows no metrics library: that is for the roles' own {@code metrics} packages. */
@NullMarked
package cleave.runtime.metrics;

import org.jspecify.annotations.NullMarked;
