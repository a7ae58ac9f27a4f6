package cleave.runtime.rpc;

import java.security.Security;

/**
 * Bounds how long this process remembers the addresses of names. Stateless.
 *
 * <p>By default the JDK remembers an address for 30 seconds, and a missing one for 10. gRPC remembers an address for 30 seconds more. That
 * is too long where a process comes back under its name at another address, as a pod does.
 */
public final class NameLookups {
    private static final String[] PROPERTIES = {"networkaddress.cache.ttl", "networkaddress.cache.negative.ttl"};
    private static final String SECONDS = "1";

    private NameLookups() {}

    /**
     * Has names looked up again after a second, unless the command line of the JVM sets another time ({@code
     * -Dnetworkaddress.cache.ttl=SECONDS}). Has no effect after the first lookup.
     */
    public static void forgetSoon() {
        for (String property : PROPERTIES) {
            String seconds = System.getProperty(property, SECONDS);
            System.setProperty(property, seconds); // For gRPC.
            Security.setProperty(property, seconds); // For the JDK.
        }
    }
}
