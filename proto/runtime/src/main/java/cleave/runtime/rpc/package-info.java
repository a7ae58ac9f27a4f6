/**
 * gRPC for every role: channels and servers, over TCP or inside the process, the threads of their connections, and the permissions of peers. Adapters; no core depends on
 * this package.
 */
@NullMarked
package cleave.runtime.rpc;

import org.jspecify.annotations.NullMarked;
