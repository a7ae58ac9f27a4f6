/**
 * Workloads as data: they are files, and choose operations and keys by seeds alone. Pure: no clock, no thread, no network.
 */
@NullMarked
package cleave.chaos.load.workload;

import org.jspecify.annotations.NullMarked;
