/**
 * The commands that put load on any Table endpoint. Workloads, runs and reports have packages of their own.
 */
@NullMarked
package cleave.chaos.load;

import org.jspecify.annotations.NullMarked;
