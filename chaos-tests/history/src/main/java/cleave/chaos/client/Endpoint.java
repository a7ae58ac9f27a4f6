package cleave.chaos.client;

import java.net.URI;

/**
 * Where a Table service listens, path style, and the account to use there. Immutable.
 *
 * @param scheme {@code http}, or {@code https} under a certificate that {@link javax.net.ssl.SSLContext#getDefault} believes
 * @param prefix of every path: {@code /account} in path style
 */
public record Endpoint(String scheme, String host, int port, String prefix, Credential credential) {
    /** The account that every SDK knows, and its key, which is no secret. */
    public static final String DEVELOPMENT_ACCOUNT = "devstoreaccount1";

    public static final String DEVELOPMENT_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    /** The development account at this port of this machine. */
    public static Endpoint development(int port) {
        return development("127.0.0.1", port);
    }

    public static Endpoint development(String host, int port) {
        return development("http", host, port);
    }

    private static Endpoint development(String scheme, String host, int port) {
        return new Endpoint(
                scheme, host, port, "/" + DEVELOPMENT_ACCOUNT, new SharedKey(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY));
    }

    /** The development account at a base address such as {@code http://127.0.0.1:10002/devstoreaccount1}. */
    public static Endpoint development(URI base) {
        return development(base.getScheme(), base.getHost(), base.getPort());
    }

    public String url() {
        return scheme + "://" + host + ":" + port + prefix;
    }

    /** What SDKs take. */
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
        return new Endpoint(scheme, host, port, prefix, other);
    }

    @Override
    public String toString() {
        return url();
    }
}
