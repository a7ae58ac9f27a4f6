package cleave.deploy.engine;

import cleave.runtime.loop.Periodic;
import cleave.runtime.rpc.Transport;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transport between processes of the engine: in the clear, or, with the setting {@code tls}, over mutual TLS alone. Thread-safe. It
 * lasts as long as its process.
 */
final class EnginePeers {
    /** In the clear. */
    static final EnginePeers CLEAR = new EnginePeers(null, null);

    private static final Logger LOG = LoggerFactory.getLogger(EnginePeers.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final @Nullable EngineTls tls;
    private final @Nullable SSLSocketFactory sockets;

    private EnginePeers(@Nullable EngineTls tls, @Nullable SSLSocketFactory sockets) {
        this.tls = tls;
        this.sockets = sockets;
    }

    /** Applies the settings, also to clients of ZooKeeper in this process. CommandFailure if the certificates are not fit. */
    static EnginePeers of(EngineConfig config) {
        Path folder = config.tls();
        return folder == null
                ? CLEAR
                : secure(EngineTls.of(
                        folder, Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath()));
    }

    private static EnginePeers secure(EngineTls tls) {
        Transport transport = tls.transport();
        tls.write(transport);
        tls.ofClient().forEach(System::setProperty);
        new Periodic("zookeeper-keys", () -> rewrite(tls, transport)).every(LOOK_NANOS);
        return new EnginePeers(tls, EngineTls.sockets(transport));
    }

    /** ZooKeeper reads the files again when they have changed. */
    private static void rewrite(EngineTls tls, Transport transport) {
        try {
            tls.write(transport);
        } catch (RuntimeException failed) {
            LOG.warn("the certificate cannot be passed on to zookeeper file={}", tls.keys(), failed);
        }
    }

    ZooKeeperProbe probe(List<String> addresses) {
        return new ZooKeeperProbe(addresses, sockets);
    }

    ZooKeeperProbe probeOfItself(String address) {
        return ZooKeeperProbe.ofItself(address, sockets);
    }

    /** A connection that was accepted, as the server sees it; with TLS its peer has to have a certificate. */
    Socket accepted(Socket caller) throws IOException {
        if (sockets == null) {
            return caller;
        }
        SSLSocket secured = (SSLSocket) sockets.createSocket(caller, null, true);
        secured.setUseClientMode(false);
        secured.setNeedClientAuth(true);
        return secured;
    }

    /** The configuration for the program of a server of ZooKeeper. */
    EngineConfig ofZooKeeper(EngineConfig config, int number) {
        return tls == null
                ? config
                : config.withSecureClients(number)
                        .with(tls.ofZooKeeper(config.members().size() > 1));
    }

    /** The configuration for the program of a bookie. */
    EngineConfig ofBookie(EngineConfig config) {
        return tls == null ? config : ofBookKeeper(config).with(tls.ofBookie());
    }

    /** The configuration for a program that talks to bookies. */
    EngineConfig ofBookKeeper(EngineConfig config) {
        return tls == null ? config : config.with(tls.ofBookKeeper());
    }
}
