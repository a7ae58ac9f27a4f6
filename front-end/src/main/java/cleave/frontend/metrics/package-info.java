/** What a front end counts. The only package of this role that knows the metrics library. */
@NullMarked
package cleave.frontend.metrics;

import org.jspecify.annotations.NullMarked;
