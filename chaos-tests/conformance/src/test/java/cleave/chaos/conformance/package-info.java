/**
 * The behaviour that unmodified clients must see in a running service: contracts that are run against the all-in-one process, by HTTP and
 * by HTTPS, and against a cluster of processes.
 */
@NullMarked
package cleave.chaos.conformance;

import org.jspecify.annotations.NullMarked;
