package cleave.client;

import java.net.URI;
import java.net.URISyntaxException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Table service, its path style, and the account to use there. Immutable.
 *
 * @param scheme {@code http} or {@code https}
 * @param prefix of every path: {@code /account} in path style
 * @param trust by which certificates are believed; null: the JVM's default
 */
public record Endpoint(
        String scheme,
        String host,
        int port,
        String prefix,
        Credential credential,
        @Nullable SSLContext trust) {
    /** The account that every SDK knows, and its key, which is no secret. */
    public static final String DEVELOPMENT_ACCOUNT = "devstoreaccount1";

    public static final String DEVELOPMENT_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    private static final int PORT_MAX = 65_535;

    /** An account whose name is the path of this address, or else the first label of its host. IllegalArgumentException if it is no address. */
    public static Endpoint at(URI base, Credential credential) {
        int port = base.getPort() < 0 ? base.getScheme().equals("https") ? HTTPS : HTTP : base.getPort();
        if (port > PORT_MAX) {
            throw new IllegalArgumentException("'" + base + "' is no endpoint: a port is at most " + PORT_MAX);
        }
        return new Endpoint(base.getScheme(), base.getHost(), port, base.getRawPath(), credential, null);
    }

    /** An account in path style at a service such as {@code http://127.0.0.1:10002}, with or without the account's name. */
    public static Endpoint at(String service, Credential credential) {
        URI base = uri(service);
        String path = "/" + credential.account();
        return at(base.getRawPath().endsWith(path) ? base : uri(base + path), credential);
    }

    /** An address without a slash at its end; IllegalArgumentException if it is none of a Table service. */
    static URI uri(String text) {
        try {
            URI uri = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (isHttp && uri.getHost() != null) {
                return uri;
            }
        } catch (URISyntaxException malformed) {
            // Said below.
        }
        throw new IllegalArgumentException(
                "the address of the Table service is no URL; it should look like http://HOST:PORT/ACCOUNT or"
                        + " https://ACCOUNT.table.core.windows.net");
    }

    /** The development account at this port of this machine. */
    public static Endpoint development(int port) {
        return development("127.0.0.1", port);
    }

    public static Endpoint development(String host, int port) {
        return development("http", host, port);
    }

    private static Endpoint development(String scheme, String host, int port) {
        SharedKey key = new SharedKey(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY);
        return new Endpoint(scheme, host, port, "/" + DEVELOPMENT_ACCOUNT, key, null);
    }

    /** The development account at a base address such as {@code http://127.0.0.1:10002/devstoreaccount1}. */
    public static Endpoint development(URI base) {
        return development(base.getScheme(), base.getHost(), base.getPort());
    }

    /** The address of the account, without a port if it is the scheme's own. */
    public String url() {
        return origin() + prefix;
    }

    /** The address of the service. */
    String origin() {
        boolean isDefault = port == (scheme.equals("https") ? HTTPS : HTTP);
        return scheme + "://" + host + (isDefault ? "" : ":" + port);
    }

    /** The connection string that SDKs take. */
    public String connectionString() {
        return "DefaultEndpointsProtocol=" + scheme + ";AccountName=" + credential.account() + ";AccountKey="
                + sharedKey().key() + ";TableEndpoint=" + url() + ";";
    }

    /** The account's key; IllegalStateException if there is none, since the credential is of another kind. */
    public SharedKey sharedKey() {
        if (credential instanceof SharedKey key) {
            return key;
        }
        throw new IllegalStateException(credential + " is no account key");
    }

    public Endpoint as(SharedKey other) {
        return as(prefix, other);
    }

    /** Another account of this service. */
    public Endpoint as(String otherPrefix, Credential other) {
        return new Endpoint(scheme, host, port, otherPrefix, other, trust);
    }

    /** The same, where these certificates are believed instead of those that the JVM believes. */
    public Endpoint trusting(SSLContext other) {
        return new Endpoint(scheme, host, port, prefix, credential, other);
    }

    @Override
    public String toString() {
        return url();
    }
}
