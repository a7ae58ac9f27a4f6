package cleave.runtime.rpc;

import cleave.runtime.settings.Settings.BadSetting;
import com.google.common.net.HostAndPort;

/**
 * The address of a gRPC server: {@code host:port}, or {@code inproc:NAME} inside this process. Immutable.
 *
 * @param name host, or the name inside the process
 * @param port -1 inside the process
 */
public record Address(String name, int port) {
    private static final String IN_PROCESS = "inproc:";
    private static final int NO_PORT = -1;

    /** IllegalArgumentException, with the right form, if the text is no address. */
    public static Address parse(String text) {
        if (text.startsWith(IN_PROCESS) && text.length() > IN_PROCESS.length()) {
            return new Address(text.substring(IN_PROCESS.length()), NO_PORT);
        }
        try {
            HostAndPort parsed = HostAndPort.fromString(text);
            if (parsed.hasPort() && !parsed.getHost().isEmpty()) {
                return new Address(parsed.getHost(), parsed.getPort());
            }
        } catch (IllegalArgumentException refused) {
            // Answered below, together with an address without host or port.
        }
        throw new IllegalArgumentException("address '" + text + "' is neither host:port nor inproc:NAME");
    }

    /** The text itself, as the value of a setting; BadSetting if it is no address. */
    public static String check(String setting, String text) {
        try {
            parse(text);
            return text;
        } catch (IllegalArgumentException wrong) {
            throw new BadSetting("setting " + setting + ": " + wrong.getMessage());
        }
    }

    public boolean isInProcess() {
        return port == NO_PORT;
    }

    /** The same host with another port. */
    public Address at(int otherPort) {
        return new Address(name, otherPort);
    }

    @Override
    public String toString() {
        return isInProcess()
                ? IN_PROCESS + name
                : HostAndPort.fromParts(name, port).toString();
    }
}
