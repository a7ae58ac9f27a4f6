/**
 * Histories of client operations, and the check that they are linearizable. Pure: without threads, clocks and sockets,
 * so that the simulator and tests on real processes both use it.
 */
@NullMarked
package cleave.chaos.history;

import org.jspecify.annotations.NullMarked;
