/**
 * The range client: routes a request to the owner of its key by the watched map, and sends it again only if it was not executed. It is a
 * core that runs in its caller's loop; the network is behind {@link cleave.route.RangeTransport}, the watched map behind
 * {@link cleave.route.MapView}. The adapters are in {@code cleave.route.rpc}.
 */
@NullMarked
package cleave.route;

import org.jspecify.annotations.NullMarked;
