package cleave.runtime.rpc;

import cleave.runtime.settings.Settings.BadSetting;
import com.google.common.net.InetAddresses;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;

/** The address under which other processes reach a listener: never a wildcard. Stateless. */
public final class Advertised {
    private static final int ANY_PORT = 0;

    private Advertised() {}

    /** The addresses and names that this machine has by itself. */
    interface Machine {
        InetAddress address() throws UnknownHostException;

        /** Fully qualified, if that is known; else the address. */
        default String nameOf(InetAddress address) {
            return address.getCanonicalHostName();
        }
    }

    /** True of {@code 0.0.0.0} and {@code ::}, which stand for all addresses of the machine that reads them. */
    public static boolean isWildcard(String address) {
        String host;
        try {
            host = Address.parse(address).name();
        } catch (IllegalArgumentException none) {
            return false; // Reported where it is used.
        }
        return InetAddresses.isInetAddress(host)
                && InetAddresses.forString(host).isAnyLocalAddress();
    }

    /** The address that a setting gives, with the port of the listener if it has none; BadSetting if it is none, or a wildcard. */
    public static String given(String setting, String address, String listen) {
        return check(
                setting,
                Address.checked(setting, address, Address.parse(listen).port()).toString());
    }

    /** The address; BadSetting if it is none, or a wildcard. */
    public static String check(String setting, String address) {
        if (isWildcard(Address.check(setting, address))) {
            throw new BadSetting("setting " + setting + " has '" + address
                    + "', which is no address that others can reach: name this machine there, as HOST:PORT");
        }
        return address;
    }

    /**
     * The address of a listener, with the name of this machine in place of a wildcard. BadSetting if that name is unknown, or of no use to
     * others: that of a loopback or link-local address, or localhost.
     *
     * @param setting that says where to listen
     * @param remedy the setting that names the address instead
     */
    public static String of(String setting, String listen, String remedy) {
        return of(setting, listen, remedy, InetAddress::getLocalHost);
    }

    static String of(String setting, String listen, String remedy, Machine machine) {
        if (!isWildcard(Address.check(setting, listen))) {
            return listen;
        }
        String why;
        try {
            InetAddress own = machine.address();
            String name = machine.nameOf(own);
            if (isOfUse(own) && isOfUse(name)) {
                return new Address(name, Address.parse(listen).port()).toString();
            }
            why = "this machine's name, " + name + " (" + own.getHostAddress() + "), is of no use to others";
        } catch (UnknownHostException unknown) {
            why = "this machine's name is unknown: " + unknown.getMessage();
        }
        throw new BadSetting("setting " + setting + " is '" + listen
                + "', which is no address that others can reach, and " + why + ". Set " + remedy);
    }

    /**
     * The address of a listener, with this machine's address in place of a wildcard; empty if it has none for others. For
     * what is good to know and not needed.
     */
    public static String orNone(String listen) {
        return orNone(listen, InetAddress::getLocalHost);
    }

    static String orNone(String listen, Machine machine) {
        if (!isWildcard(listen)) {
            return listen;
        }
        try {
            InetAddress own = machine.address();
            return isOfUse(own)
                    ? new Address(own.getHostAddress(), Address.parse(listen).port()).toString()
                    : "";
        } catch (UnknownHostException unknown) {
            return "";
        }
    }

    private static boolean isOfUse(InetAddress own) {
        return !own.isLoopbackAddress() && !own.isAnyLocalAddress() && !own.isLinkLocalAddress();
    }

    /** Every machine calls itself localhost, and some hosts files give that name to an address of a network, too. */
    private static boolean isOfUse(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return !lower.equals("localhost") && !lower.startsWith("localhost.") && !lower.endsWith(".localhost");
    }

    /** The address with the port that the system chose, if it leaves that open. */
    public static String at(String address, int boundPort) {
        Address parsed = Address.parse(address);
        return parsed.port() == ANY_PORT ? parsed.at(boundPort).toString() : address;
    }
}
