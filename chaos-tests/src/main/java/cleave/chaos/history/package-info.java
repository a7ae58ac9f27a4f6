/**
 * What clients did and saw, and the check whether one store that does one thing at a time could have answered so. Pure: no
 * threads, clock or sockets, so a simulator uses it as well as tests on real processes.
 */
@NullMarked
package cleave.chaos.history;

import org.jspecify.annotations.NullMarked;
