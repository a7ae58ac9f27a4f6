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
 * How processes talk to each other over TCP: in the clear, or with mutual TLS (1.3 or 1.2). Thread-safe.
 *
 * <p>With TLS each side shows a certificate of an authority that the other trusts. The one that connects checks that the certificate
 * names the host that it asked for; the one that is asked takes the calls that the {@linkplain PeerRole roles} in the certificate
 * permit. In the clear everybody may call everything, so one listens on this machine alone unless it is said that a network is meant.
 * What stays inside a process is not concerned.
 */
public final class Transport implements AutoCloseable {
    /** In the clear, on this machine alone. */
    public static final Transport PLAIN = new Transport(null, false);

    /** In the clear, on whatever network one listens: for those that nobody else is on. */
    public static final Transport INSECURE_NETWORK = new Transport(null, true);

    public static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    private final @Nullable CredentialsFolder credentials;
    private final boolean isForNetworks;

    private Transport(@Nullable CredentialsFolder credentials, boolean isForNetworks) {
        this.credentials = credentials;
        this.isForNetworks = isForNetworks;
    }

    /**
     * Mutual TLS with the {@code tls.crt}, {@code tls.key} and {@code ca.crt} of a folder, which are read again when they change.
     * IOException, with the file and what is wrong with it.
     *
     * @param role of this process, for which its certificate must be good
     */
    public static Transport mutualTls(Path folder, PeerRole role) throws IOException {
        return new Transport(CredentialsFolder.ofPeer(folder, role, CredentialsFolder.Listener.NONE), true);
    }

    /**
     * BadSetting if others could reach what listens there and nothing would tell who they are.
     *
     * @param setting that names the address
     * @param address {@code host:port} or {@code inproc:NAME}
     */
    public void checkListen(String setting, String address) {
        Address parsed = Address.parse(address);
        if (!isForNetworks && !parsed.isInProcess() && !isLoopback(parsed.name())) {
            throw new BadSetting(
                    "setting " + setting + " is '" + address + "', which other machines can reach, and without TLS each"
                            + " of them could read and destroy all data there: give tls=DIR with certificates, or listen on a loopback"
                            + " address such as 127.0.0.1, or give insecure-network=true if nothing but Cleave's own processes is on that"
                            + " network");
        }
    }

    /** A name that is not known is none: what would listen there says so. */
    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false;
        }
    }

    /** Shows the newest certificate; null in the clear. */
    public @Nullable X509ExtendedKeyManager keys() {
        return credentials == null ? null : credentials.keys();
    }

    /** Believes peers of one role that the newest authorities vouch for; null in the clear. */
    public @Nullable X509ExtendedTrustManager trust(PeerRole role) {
        return credentials == null ? null : new RoleTrust(credentials.trust(), role);
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
