/** Requests to the masters over gRPC, for the handlers. */
@NullMarked
package cleave.frontend.rpc;

import org.jspecify.annotations.NullMarked;
