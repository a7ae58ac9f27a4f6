/**
 * What accounts and connections share, and how much of it each may take: slots and bytes, turns of the event loop, operations per
 * second. It knows neither requests nor routing.
 */
@NullMarked
package cleave.frontend.fairness;

import org.jspecify.annotations.NullMarked;
