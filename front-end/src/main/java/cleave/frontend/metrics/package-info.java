/** The metrics of a front end. The only package of this role that depends on the metrics library. */
@NullMarked
package cleave.frontend.metrics;

import org.jspecify.annotations.NullMarked;
