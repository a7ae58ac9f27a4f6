/** Credentials that can change while the front end runs: the accounts file and the issuers' keys, reloaded when they change. */
@NullMarked
package cleave.frontend.refresh;

import org.jspecify.annotations.NullMarked;
