/**
 * What clients did and saw, and the check whether that history is linearizable. Pure: no
 * threads, clock or sockets, so a simulator uses it as well as tests on real processes.
 */
@NullMarked
package cleave.chaos.history;

import org.jspecify.annotations.NullMarked;
