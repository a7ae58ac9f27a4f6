/** The rate limit of accounts, the one state that the loops of a front end share; so it is no part of their cores. */
@NullMarked
package cleave.frontend.throttle;

import org.jspecify.annotations.NullMarked;
