/** gRPC in and out: the services that a partition server gives, and the masters as its loops see them. */
@NullMarked
package cleave.server.rpc;

import org.jspecify.annotations.NullMarked;
