/** What a master counts. */
@NullMarked
package cleave.master.metrics;

import org.jspecify.annotations.NullMarked;
