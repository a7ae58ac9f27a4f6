package cleave.dfs.bookkeeper;

import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.tls.SecurityException;
import org.apache.bookkeeper.tls.SecurityHandlerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mutual TLS between bookies and their clients, with the certificates of a {@link Transport}: the newest ones count at each handshake. Made
 * by BookKeeper, from the class name. Its methods are called by one thread before others, then by any.
 *
 * <p>BookKeeper's own factory needs Bouncy Castle, and reads keys in fewer forms.
 */
final class PeerTls implements SecurityHandlerFactory {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTls.class);

    /** In the settings of a client: a {@link Transport}. In those of a bookie: this, or as text the folder of its certificates. */
    static final String TRANSPORT = "cleave.tls";

    /** The transports of this process, by folder. They last as long as the process. */
    private static final Map<String, Transport> OF_FOLDERS = new ConcurrentHashMap<>();

    private NodeType side = NodeType.Unknown;
    private @Nullable ByteBufAllocator allocator;
    private @Nullable SslContext context;

    /** Has a client connect to bookies over TLS. */
    static void secure(ClientConfiguration settings, Transport transport) {
        settings.setTLSProviderFactoryClass(PeerTls.class.getName());
        settings.setProperty(TRANSPORT, transport);
    }

    @Override
    public String getHandlerName() {
        return "tls";
    }

    @Override
    @SuppressWarnings("rawtypes") // The interface declares it so.
    public void init(NodeType side, AbstractConfiguration settings, ByteBufAllocator allocator)
            throws SecurityException {
        this.side = side;
        this.allocator = allocator;
        try {
            Transport transport = transport(settings.getProperty(TRANSPORT));
            SslContextBuilder builder = side == NodeType.Server
                    ? SslContextBuilder.forServer(Objects.requireNonNull(transport.keys()))
                            .clientAuth(ClientAuth.REQUIRE)
                            .startTls(true)
                    : SslContextBuilder.forClient().keyManager(Objects.requireNonNull(transport.keys()));
            context = builder.trustManager(Objects.requireNonNull(transport.trust()))
                    .sslProvider(SslProvider.JDK)
                    .protocols(Transport.PROTOCOLS)
                    .build();
        } catch (SSLException | RuntimeException unfit) {
            throw new SecurityException("setting " + TRANSPORT + ": " + unfit.getMessage(), unfit);
        }
    }

    private static Transport transport(@Nullable Object setting) {
        if (setting instanceof Transport given) {
            return given;
        }
        if (setting == null) {
            throw new IllegalArgumentException("the folder of the certificates is missing");
        }
        return OF_FOLDERS.computeIfAbsent(setting.toString(), folder -> {
            try {
                return Transport.mutualTls(Path.of(folder), PeerRole.DFS);
            } catch (IOException wrong) {
                throw new IllegalArgumentException(wrong.getMessage(), wrong);
            }
        });
    }

    @Override
    public SslHandler newTLSHandler() {
        return newTLSHandler(null, -1);
    }

    @Override
    public SslHandler newTLSHandler(@Nullable String peer, int port) {
        SslHandler handler = Objects.requireNonNull(context).newHandler(allocator, peer, port);
        if (side == NodeType.Client) {
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            handler.engine().setSSLParameters(parameters);
            handler.handshakeFuture().addListener(done -> {
                if (!done.isSuccess()) {
                    LOG.error("bookie refused bookie={}:{} reason={}", peer, port, TlsTrouble.text(done.cause()));
                }
            });
        }
        return handler;
    }
}
