/**
 * {@code cleave sas}: makes shared access signatures and explains them. The front end's own code decides what a signature permits, and why
 * a request with it is refused.
 */
@NullMarked
package cleave.deploy.sas;

import org.jspecify.annotations.NullMarked;
