/**
 * The adapters of {@link cleave.route} to gRPC: calls to partition servers, the watch of the partition map, calls to whichever
 * master leads.
 */
@NullMarked
package cleave.route.rpc;

import org.jspecify.annotations.NullMarked;
