/** A node over gRPC: the service that a dfs-stub process offers, and the link by which clients reach it. They translate, no more. */
@NullMarked
package cleave.dfs.rpc;

import org.jspecify.annotations.NullMarked;
