package cleave.deploy;

import java.security.Security;

/**
 * How long this process believes what it has once resolved a name to. Stateless.
 *
 * <p>A pod that is replaced keeps its name and gets another address. The JVM would use the old one for 30 seconds, and remember for 10
 * that a name was absent; gRPC resolves a name anew no more often than the JVM's setting says, 30 seconds by default.
 */
final class NameCaches {
    private static final String TTL = "networkaddress.cache.ttl";
    private static final String SECONDS = "1";

    private NameCaches() {}

    /** Before the first name is resolved. What the command line of the JVM says counts. */
    static void shorten() {
        if (System.getProperty(TTL) == null) {
            System.setProperty(TTL, SECONDS); // That of gRPC.
        }
        if (System.getProperty("sun.net.inetaddr.ttl") == null) {
            Security.setProperty(TTL, SECONDS);
        }
        if (System.getProperty("sun.net.inetaddr.negative.ttl") == null) {
            Security.setProperty("networkaddress.cache.negative.ttl", SECONDS);
        }
    }
}
