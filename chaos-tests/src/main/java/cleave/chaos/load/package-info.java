/**
 * The commands that put load on any Table endpoint, and the comparison of endpoints by it. Workloads, runs and reports have packages of their
 * own.
 */
@NullMarked
package cleave.chaos.load;

import org.jspecify.annotations.NullMarked;
