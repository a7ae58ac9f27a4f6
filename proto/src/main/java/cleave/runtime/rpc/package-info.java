/**
 * gRPC as every role uses it: channels by address, servers on addresses, over TCP or inside the process. Adapters; no core
 * knows this package.
 */
@NullMarked
package cleave.runtime.rpc;

import org.jspecify.annotations.NullMarked;
