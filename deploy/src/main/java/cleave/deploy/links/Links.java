package cleave.deploy.links;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process' ends of its links to the others of a local cluster. Thread-safe.
 *
 * <p>gRPC, and the gRPC within Ratis, ask for the address of each target by a resolver of names. Ours ({@link LinkNames}, {@link RaftLinkNames}) answer with a
 * port of this process, from which a {@link TcpProxy} forwards to the target. So a link is cut below TLS and HTTP/2: neither end is told, bytes stay away, and
 * connections stay open until their owners lose patience. Each end holds back what passes on the connections that it has begun, so that together they cut both
 * directions. The proxies are in the process itself: they end, pause and start again with it, and there is none unless the process was started with the
 * property {@value #FILE}.
 */
public final class Links implements AutoCloseable {
    /** The file of the links, in the system property that {@code cleave cluster --play} starts processes with. */
    public static final String FILE = "cleave.links";
    /** The name of this process in that file. */
    private static final String SELF = "cleave.node";

    private static final Logger LOG = LoggerFactory.getLogger(Links.class);
    private static final int LOOK_MILLIS = 100;

    private final LinksFile file;
    private final String self;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "links");
        thread.setDaemon(true);
        return thread;
    });
    /** Guarded by this, as all below. */
    private final Map<String, TcpProxy> proxies = new TreeMap<>();

    private LinkTable table;
    private boolean isUnreadable;

    Links(LinksFile file, String self) {
        this.file = file;
        this.self = self;
        this.table = file.read();
    }

    /** Does nothing unless this process was started to be played with. Called before anything connects. CommandFailure if the file cannot be read. */
    public static void ofThisProcess() {
        String file = System.getProperty(FILE);
        if (file == null) {
            return;
        }
        Links links = new Links(new LinksFile(Path.of(file)), System.getProperty(SELF, ""));
        LinkNames.install(links);
        RaftLinkNames.install(links);
        links.start();
        LOG.info("links can be cut file={}", file);
    }

    void start() {
        watch.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** True if another process of this cluster serves at an address, {@code host:port} as it stands in settings. */
    synchronized boolean has(String address) {
        return table.at(address).filter(name -> !name.equals(self)).isPresent();
    }

    /** Where to connect to in place of such an address. IOException if there is no free port. */
    synchronized InetSocketAddress via(String address) throws IOException {
        TcpProxy proxy = proxies.get(address);
        if (proxy == null) {
            proxy = opened(address);
            proxies.put(address, proxy);
        }
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port());
    }

    private TcpProxy opened(String address) throws IOException {
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon);
        int port = Integer.parseInt(address.substring(colon + 1));
        TcpProxy proxy = TcpProxy.start(InetAddress.getLoopbackAddress(), 0, () -> new InetSocketAddress(host, port));
        if (isCut(table, address)) {
            proxy.cut();
        }
        return proxy;
    }

    private boolean isCut(LinkTable by, String address) {
        return by.at(address).filter(name -> by.isCut(self, name)).isPresent();
    }

    /** Cuts and heals what the file says now. While it cannot be read, everything stays as it is. */
    synchronized void look() {
        LinkTable now;
        try {
            now = file.read();
            isUnreadable = false;
        } catch (CommandFailure unfit) {
            if (!isUnreadable) {
                LOG.warn("links stay as they are reason={}", unfit.getMessage());
            }
            isUnreadable = true;
            return;
        }
        LinkTable before = table;
        table = now;
        proxies.forEach((address, proxy) -> {
            boolean was = isCut(before, address);
            boolean is = isCut(now, address);
            if (is && !was) {
                LOG.info("link is cut peer={} address={}", now.at(address).orElse(""), address);
                proxy.cut();
            } else if (was && !is) {
                LOG.info("link is healed peer={} address={}", now.at(address).orElse(""), address);
                proxy.heal();
            }
        });
    }

    @Override
    public synchronized void close() {
        watch.shutdownNow();
        for (TcpProxy proxy : proxies.values()) {
            try {
                proxy.close();
            } catch (IOException closed) {
                LOG.debug("a link was not closed", closed);
            }
        }
    }
}
