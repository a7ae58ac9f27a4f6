/**
 * A request and how it is admitted: its head, its operation, the authentication and rights of its sender, and the answer if it is
 * refused. Pure. Depends on the protocol, and not on routing.
 */
@NullMarked
package cleave.frontend.request;

import org.jspecify.annotations.NullMarked;
