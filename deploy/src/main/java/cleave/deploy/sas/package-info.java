/**
 * {@code cleave sas}: makes shared access signatures and explains them. What a signature permits, and why a request with it is refused, is
 * decided by the front end's own code.
 */
@NullMarked
package cleave.deploy.sas;

import org.jspecify.annotations.NullMarked;
