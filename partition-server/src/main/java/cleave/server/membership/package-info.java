/**
 * A server's relation to the masters: registration, heartbeats, load reports, and the orders that the masters give. One event loop
 * owns it.
 */
@NullMarked
package cleave.server.membership;

import org.jspecify.annotations.NullMarked;
