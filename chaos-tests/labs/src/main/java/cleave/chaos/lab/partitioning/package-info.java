/** How ranges are placed and watched, the lab about retries, and the labs about the balancer in their full form. */
@NullMarked
package cleave.chaos.lab.partitioning;

import org.jspecify.annotations.NullMarked;
