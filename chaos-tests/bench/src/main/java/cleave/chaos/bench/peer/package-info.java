/**
 * Other stores beside which Cleave is measured: their processes, each of which ends with its owner, and adapters for the load. Their libraries
 * come from a build of {@code chaos-tests/peers} and are on the class path of no process of Cleave.
 */
@NullMarked
package cleave.chaos.bench.peer;

import org.jspecify.annotations.NullMarked;
