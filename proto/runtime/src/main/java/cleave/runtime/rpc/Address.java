package cleave.runtime.rpc;

import cleave.runtime.settings.Settings.BadSetting;
import com.google.common.net.HostAndPort;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a gRPC server: {@code host:port}, or {@code inproc:NAME} inside this process. Immutable.
 *
 * <p>Over TLS a server is known by the host that was dialled. One whose certificate cannot name its host, such as a pod that has an IP
 * address and no name, is {@code host:port/NAME}: reached at the host, and known by NAME.
 *
 * @param name host, or the name inside the process
 * @param port -1 inside the process
 * @param authority the name in its certificate; null: the host
 */
public record Address(String name, int port, @Nullable String authority) {
    private static final String IN_PROCESS = "inproc:";
    private static final int NO_PORT = -1;
    private static final Pattern AUTHORITY = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?");

    public Address(String name, int port) {
        this(name, port, null);
    }

    /** IllegalArgumentException, with the right form, if the text is no address. */
    public static Address parse(String text) {
        return parse(text, NO_PORT);
    }

    /** @param port for a host without one; -1: such a text is no address */
    static Address parse(String text, int port) {
        if (text.startsWith(IN_PROCESS) && text.length() > IN_PROCESS.length()) {
            return new Address(text.substring(IN_PROCESS.length()), NO_PORT);
        }
        int slash = text.indexOf('/');
        String host = slash < 0 ? text : text.substring(0, slash);
        String authority = slash < 0 ? null : text.substring(slash + 1);
        try {
            HostAndPort parsed = HostAndPort.fromString(host);
            if ((parsed.hasPort() || port != NO_PORT)
                    && !parsed.getHost().isEmpty()
                    && (authority == null || AUTHORITY.matcher(authority).matches())) {
                return new Address(parsed.getHost(), parsed.getPortOrDefault(port), authority);
            }
        } catch (IllegalArgumentException refused) {
            // Answered below, together with an address without host or port.
        }
        throw new IllegalArgumentException("address '" + text
                + "' is neither host:port nor inproc:NAME, nor host:port/NAME with the name in its certificate");
    }

    /** The text itself, as the value of a setting; BadSetting if it is no address. */
    public static String check(String setting, String text) {
        checked(setting, text, NO_PORT);
        return text;
    }

    static Address checked(String setting, String text, int port) {
        try {
            return parse(text, port);
        } catch (IllegalArgumentException wrong) {
            throw new BadSetting("setting " + setting + ": " + wrong.getMessage());
        }
    }

    public boolean isInProcess() {
        return port == NO_PORT;
    }

    /** The same host with another port. */
    public Address at(int otherPort) {
        return new Address(name, otherPort, authority);
    }

    @Override
    public String toString() {
        return isInProcess()
                ? IN_PROCESS + name
                : HostAndPort.fromParts(name, port) + (authority == null ? "" : "/" + authority);
    }
}
