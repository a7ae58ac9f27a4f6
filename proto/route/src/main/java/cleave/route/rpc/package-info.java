/** gRPC adapters of {@link cleave.route}: calls to partition servers and to the leading master, and the stream of the partition map. */
@NullMarked
package cleave.route.rpc;

import org.jspecify.annotations.NullMarked;
