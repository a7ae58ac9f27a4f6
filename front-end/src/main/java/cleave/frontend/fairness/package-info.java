/**
 * Limits that accounts and connections share, and the share that each of them gets: slots, bytes, turns of the event loop, operations per
 * second. Depends neither on requests nor on routing.
 */
@NullMarked
package cleave.frontend.fairness;

import org.jspecify.annotations.NullMarked;
