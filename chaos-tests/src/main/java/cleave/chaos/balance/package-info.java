/**
 * What the balancer does on real processes under loads that are known: how soon it spreads one, that it then rests, and what it
 * says of loads that no split can cure.
 */
@NullMarked
package cleave.chaos.balance;

import org.jspecify.annotations.NullMarked;
