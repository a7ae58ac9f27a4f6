package cleave.deploy.role;

import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/** A {@code host:port} to listen on. Immutable. */
public record ListenAddress(String host, int port) {
    public ListenAddress {
        if (host.isEmpty() || port < 0 || port > 65_535) {
            throw new BadSetting("'" + host + ":" + port + "' is no address; write host:port, such as 127.0.0.1:10002");
        }
    }

    /** Parses {@code host:port} or {@code [v6]:port}; the setting is named if it is neither. */
    public static ListenAddress parse(String setting, String text) {
        int colon = text.lastIndexOf(':');
        try {
            if (colon > 0) {
                return new ListenAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
            }
        } catch (NumberFormatException | BadSetting wrong) {
            // Answered below, with the setting's name.
        }
        throw new BadSetting(
                "setting " + setting + " is '" + text + "' but must be host:port, such as 127.0.0.1:10002");
    }

    public InetSocketAddress socket() {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException unknown) {
            throw new BadSetting("'" + host + "' is no host that this machine knows");
        }
    }

    /** True if one could listen here now. Port 0 is always free. */
    public boolean isFree() throws IOException {
        if (port == 0) {
            return true;
        }
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(socket());
            return true;
        } catch (BindException inUse) {
            return false;
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
