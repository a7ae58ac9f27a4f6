package cleave.runtime.rpc;

import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.CredentialsFolder;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.RoleTrust;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The transport between processes: plain TCP, or mutual TLS (1.3 or 1.2). Thread-safe.
 *
 * <p>With TLS each side presents a certificate of an authority that the other side trusts. The client checks that the certificate names the
 * requested host, or the {@linkplain Address#authority name} that the address says; the server accepts the calls that the {@linkplain PeerRole roles} in the certificate permit. Without TLS anybody may call
 * anything, so a server listens on the loopback interface only, unless the settings permit a network. Calls inside a process are not
 * affected.
 */
public final class Transport implements AutoCloseable {
    /** Without TLS, on the loopback interface only. */
    public static final Transport PLAIN = new Transport(null, false, null);

    /** Without TLS, on any interface: for isolated networks. */
    public static final Transport INSECURE_NETWORK = new Transport(null, true, null);

    public static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    private final @Nullable CredentialsFolder credentials;
    private final boolean isForNetworks;
    private final @Nullable NetworkLoops loops;

    private Transport(@Nullable CredentialsFolder credentials, boolean isForNetworks, @Nullable NetworkLoops loops) {
        this.credentials = credentials;
        this.isForNetworks = isForNetworks;
        this.loops = loops;
    }

    /**
     * The same transport, with all its connections on these threads instead of those that gRPC has for all others. It shares the credentials
     * with this one, and need not be closed.
     */
    public Transport on(NetworkLoops threads) {
        return new Transport(credentials, isForNetworks, threads);
    }

    /** The threads of the connections; null: gRPC's own. */
    @Nullable
    NetworkLoops loops() {
        return loops;
    }

    /**
     * Mutual TLS with the {@code tls.crt}, {@code tls.key} and {@code ca.crt} of a folder, which are read again when they change.
     * IOException, with the file and its fault.
     *
     * @param role of this process, for which its certificate must be good
     */
    public static Transport mutualTls(Path folder, PeerRole role) throws IOException {
        return mutualTls(folder, List.of(role));
    }

    /**
     * The same for a process that may be content with less.
     *
     * @param roles its certificate must be good for one of them, of which the first is the usual one
     */
    public static Transport mutualTls(Path folder, List<PeerRole> roles) throws IOException {
        return new Transport(CredentialsFolder.ofPeer(folder, roles, CredentialsFolder.Listener.NONE), true, null);
    }

    /**
     * BadSetting if nobody can listen on this address, or unauthenticated peers could reach a server there.
     *
     * @param setting that names the address
     * @param address {@code host:port} or {@code inproc:NAME}
     */
    public void checkListen(String setting, String address) {
        Address parsed = Address.parse(Address.check(setting, address));
        if (parsed.authority() != null) {
            throw new BadSetting("setting " + setting + " is '" + address
                    + "', but a listener's certificate has its names itself: give host:port");
        }
        if (!isForNetworks && !parsed.isInProcess() && !isLoopback(parsed.name())) {
            throw new BadSetting(
                    "setting " + setting + " is '" + address + "', which other machines can reach, and without TLS each"
                            + " of them could read and destroy all data there: give tls=DIR with certificates, or listen on a loopback"
                            + " address such as 127.0.0.1, or give insecure-network=true if nothing but Cleave's own processes is on that"
                            + " network");
        }
    }

    /** An unknown name is not a loopback address; the server reports it when it listens. */
    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false;
        }
    }

    /** The certificate in use; null without TLS. */
    public CredentialsFolder.@Nullable Use certificate() {
        return credentials == null ? null : credentials.use();
    }

    /** Presents the newest certificate; null without TLS. */
    public @Nullable X509ExtendedKeyManager keys() {
        return credentials == null ? null : credentials.keys();
    }

    /** Trusts peers with certificates of the newest authorities, a server only under the name that was dialled; null without TLS. */
    public @Nullable X509ExtendedTrustManager trust() {
        return credentials == null ? null : credentials.trust();
    }

    /** Trusts peers of one role with certificates of the newest authorities; null without TLS. */
    public @Nullable X509ExtendedTrustManager trust(PeerRole role) {
        return credentials == null ? null : new RoleTrust(credentials.trust(), role);
    }

    /** The context of clients; null without TLS. */
    @Nullable
    SslContext ofClient() {
        return credentials == null
                ? null
                : built(SslContextBuilder.forClient()
                        .keyManager(credentials.keys())
                        .trustManager(credentials.trust()));
    }

    /** The context of servers; null without TLS. */
    @Nullable
    SslContext ofServer() {
        return credentials == null
                ? null
                : built(SslContextBuilder.forServer(credentials.keys())
                        .trustManager(credentials.trust())
                        .clientAuth(ClientAuth.REQUIRE));
    }

    /** The context of a port for HTTP/1.1, whose callers show certificates as those of servers do; null without TLS. */
    public @Nullable SslContext ofHttpPort() {
        try {
            return credentials == null
                    ? null
                    : SslContextBuilder.forServer(credentials.keys())
                            .sslProvider(SslProvider.JDK)
                            .trustManager(credentials.trust())
                            .clientAuth(ClientAuth.REQUIRE)
                            .protocols(PROTOCOLS)
                            .build();
        } catch (SSLException unfit) {
            throw new IllegalStateException("this Java cannot do TLS 1.3 and 1.2", unfit);
        }
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
