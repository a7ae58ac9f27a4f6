package cleave.runtime.rpc;

import io.netty.util.NetUtil;
import java.net.InetAddress;

/**
 * The names under which an HTTP port may be dialled. Immutable.
 *
 * <p>A web page can have its own name resolve to 127.0.0.1 (DNS rebinding) and so have the browser of this machine's user send requests here;
 * it cannot have the browser send another Host. A port that other machines reach is open to all of them in any case, and may have any
 * name there.
 *
 * @param bound the address of the port
 * @param listen the host that it was told to listen on
 */
public record DialledName(InetAddress bound, String listen) {
    /** Whether a request with this header {@code Host} is for the port. */
    public boolean isDialled(String host) {
        int colon = host.lastIndexOf(':');
        String name = host.startsWith("[")
                ? host.substring(1, Math.max(1, host.indexOf(']')))
                : colon < 0 ? host : host.substring(0, colon);
        return !bound.isLoopbackAddress()
                || NetUtil.isValidIpV4Address(name)
                || NetUtil.isValidIpV6Address(name)
                || name.equalsIgnoreCase("localhost")
                || name.equalsIgnoreCase(listen);
    }
}
