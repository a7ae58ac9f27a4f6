/**
 * The operations of the protocol: each handler reads a request's body, calls {@code routing}, and builds the answer. Also CORS and the other
 * service properties of accounts.
 */
@NullMarked
package cleave.frontend.handlers;

import org.jspecify.annotations.NullMarked;
