/** The labs about keys, ranges and queries, about the balancer, and about clients that meet at one partition. */
@NullMarked
package cleave.chaos.lab.partitioning;

import org.jspecify.annotations.NullMarked;
