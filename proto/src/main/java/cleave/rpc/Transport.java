package cleave.rpc;

import cleave.tls.CredentialsFolder;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * How processes talk to each other over TCP: in the clear, or with mutual TLS (1.3 or 1.2). Thread-safe.
 *
 * <p>With TLS each side shows a certificate of an authority that the other trusts. The one that connects checks that the certificate
 * names the host that it asked for; the one that is asked lets in whomever the authority vouches for. What stays inside a process is
 * not concerned.
 */
public final class Transport implements AutoCloseable {
    /** In the clear: for machines and networks that nobody else is on. */
    public static final Transport PLAIN = new Transport(null);

    public static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    private final @Nullable CredentialsFolder credentials;

    private Transport(@Nullable CredentialsFolder credentials) {
        this.credentials = credentials;
    }

    /**
     * Mutual TLS with the {@code tls.crt}, {@code tls.key} and {@code ca.crt} of a folder, which are read again when they change.
     * IOException, with the file and what is wrong with it.
     */
    public static Transport mutualTls(Path folder) throws IOException {
        return new Transport(CredentialsFolder.ofPeer(folder, CredentialsFolder.Listener.NONE));
    }

    /** Shows the newest certificate; null in the clear. */
    public @Nullable X509ExtendedKeyManager keys() {
        return credentials == null ? null : credentials.keys();
    }

    /** Believes the newest authorities; null in the clear. */
    public @Nullable X509ExtendedTrustManager trust() {
        return credentials == null ? null : credentials.trust();
    }

    /** For those who connect; null in the clear. */
    @Nullable
    SslContext ofClient() {
        return credentials == null
                ? null
                : built(SslContextBuilder.forClient()
                        .keyManager(credentials.keys())
                        .trustManager(credentials.trust()));
    }

    /** For those who listen; null in the clear. */
    @Nullable
    SslContext ofServer() {
        return credentials == null
                ? null
                : built(SslContextBuilder.forServer(credentials.keys())
                        .trustManager(credentials.trust())
                        .clientAuth(ClientAuth.REQUIRE));
    }

    private static SslContext built(SslContextBuilder builder) {
        try {
            return GrpcSslContexts.configure(builder, SslProvider.JDK)
                    .protocols(PROTOCOLS)
                    .build();
        } catch (SSLException unfit) {
            throw new IllegalStateException("this Java cannot do TLS 1.3 and 1.2", unfit);
        }
    }

    @Override
    public void close() {
        if (credentials != null) {
            credentials.close();
        }
    }
}
