/** The labs about keys, ranges and queries. */
@NullMarked
package cleave.chaos.lab.partitioning;

import org.jspecify.annotations.NullMarked;
