/** Closed-loop load on any Table endpoint, and the comparison of endpoints by it. */
@NullMarked
package cleave.chaos.load;

import org.jspecify.annotations.NullMarked;
