/** The metrics of a master. */
@NullMarked
package cleave.master.metrics;

import org.jspecify.annotations.NullMarked;
