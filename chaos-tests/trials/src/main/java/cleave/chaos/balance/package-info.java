/**
 * Trials of the balancer on real processes under known loads: how soon it spreads a load, that it then rests, and its
 * verdicts on loads that no split can relieve.
 */
@NullMarked
package cleave.chaos.balance;

import org.jspecify.annotations.NullMarked;
