package cleave.deploy.role;

import ch.qos.logback.classic.LoggerContext;
import cleave.deploy.CommandFailure;
import cleave.deploy.inspect.LogLevels;
import cleave.model.Facts;
import cleave.model.Readiness;
import cleave.runtime.rpc.DialledName;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin port of a process: {@code /metrics} for Prometheus, all or those that {@code name[]} names, {@code /healthz} (the process runs, and none of its loops is stuck),
 * {@code /readyz} (it can work now; if not, the body says what is missing), and for operators {@link OperatorPaths}. Thread-safe.
 *
 * <p>It speaks HTTP, and HTTPS on the same port once the role has certificates: the first bytes of a connection tell which.
 *
 * <p>A slow or hostile caller costs neither the role nor the other callers anything (invariant I10). The port has its own event loop, and
 * {@link AdminConnections} are bounded in number and lifetime. Probes do not wait for scrapes: both have one thread and a bounded queue
 * each.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
    private static final String METRICS = "/metrics";
    private static final String NAME = "name[]";
    private static final String HEALTH = "/healthz";
    private static final String READINESS = "/readyz";
    private static final int BACKLOG = 64;
    private static final int WAITING_MAX = 32;
    private static final int BODY_BYTES_MAX = 1024;

    private final ListenAddress listen;
    private final CollectorRegistry registry;
    private final Supplier<Readiness> readiness;
    private final Supplier<List<String>> stuck;
    private final OperatorPaths operators;
    private final Supplier<@Nullable SslContext> tls;
    private final AdminConnections connections = new AdminConnections();
    private final MultiThreadIoEventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, threads("admin"), NioIoHandler.newFactory());
    /** The port and its connections; what is added after the group's end is closed at once. */
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    private final ExecutorService probes = oneThread("admin probes");
    private final ExecutorService scrapes = oneThread("admin scrapes");
    private final InetSocketAddress address;

    /**
     * What it asks the process, on its own threads.
     *
     * @param stuck the loops that run nothing any more, for people
     * @param status what operators see of the process
     * @param tls of a role with certificates; null before it is there, or without
     */
    public record Host(
            Supplier<Readiness> readiness,
            Supplier<List<String>> stuck,
            Supplier<Facts> status,
            Supplier<@Nullable SslContext> tls) {
        /** A process that has nothing to tell operators. */
        public Host(Supplier<Readiness> readiness, Supplier<List<String>> stuck) {
            this(readiness, stuck, () -> Facts.NONE, () -> null);
        }
    }

    private AdminServer(ListenAddress listen, CollectorRegistry registry, Host process, LogLevels levels) {
        this.listen = listen;
        this.registry = registry;
        this.readiness = process.readiness;
        this.stuck = process.stuck;
        this.tls = process.tls;
        this.operators = new OperatorPaths(listen.host(), process.status, levels, connections);
        ChannelFuture bound = bootstrap().bind(listen.socket()).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            close();
            throw notBound(listen, bound.cause());
        }
        channels.add(bound.channel());
        address = (InetSocketAddress) bound.channel().localAddress();
        loop.scheduleWithFixedDelay(operators::tick, 1, 1, TimeUnit.SECONDS);
    }

    /** Listens at once, so that {@code /readyz} reports a start in progress. */
    public static AdminServer start(
            ListenAddress listen,
            CollectorRegistry registry,
            Supplier<Readiness> readiness,
            Supplier<List<String>> stuck) {
        return start(listen, registry, new Host(readiness, stuck));
    }

    /** The same with what operators may see and do. */
    public static AdminServer start(ListenAddress listen, CollectorRegistry registry, Host process) {
        return start(
                listen,
                registry,
                process,
                new LogLevels((LoggerContext) LoggerFactory.getILoggerFactory(), System::nanoTime));
    }

    static AdminServer start(ListenAddress listen, CollectorRegistry registry, Host process, LogLevels levels) {
        return new AdminServer(listen, registry, process, levels);
    }

    private ServerBootstrap bootstrap() {
        return new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channels.add(channel);
                        channel.pipeline().addLast(connections);
                        SslContext secure = tls.get();
                        if (secure != null) {
                            channel.pipeline().addLast(new OptionalSslHandler(secure));
                        }
                        channel.pipeline()
                                .addLast(
                                        new HttpServerCodec(),
                                        new HttpObjectAggregator(BODY_BYTES_MAX, true),
                                        new AdminHandler(connections, AdminServer.this::answer));
                    }
                });
    }

    private static RuntimeException notBound(ListenAddress listen, Throwable cause) {
        if (cause instanceof IOException) {
            return CommandFailure.taken("the admin address " + listen + " cannot be listened on (" + cause.getMessage()
                    + "); give another as admin.listen");
        }
        return new IllegalStateException("admin server on " + listen, cause);
    }

    public int port() {
        return address.getPort();
    }

    private void answer(FullHttpRequest request, AdminHandler.Reply reply) {
        if (request.decoderResult().isFailure()) {
            reply.text(400, "this is no HTTP request\n");
            return;
        }
        QueryStringDecoder asked = new QueryStringDecoder(request.uri());
        if (OperatorPaths.has(asked.path())) {
            operators.answer(request, asked, reply);
            return;
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            reply.text(405, "only GET and HEAD\n");
            return;
        }
        DialledName name = new DialledName(address.getAddress(), listen.host());
        for (String host : request.headers().getAll(HttpHeaderNames.HOST)) {
            if (!name.isDialled(host)) {
                reply.text(421, "'" + host + "' is not the name of this port; use its address, or localhost\n");
                return;
            }
        }
        String accept = request.headers().get(HttpHeaderNames.ACCEPT);
        switch (asked.path()) {
            case METRICS -> {
                Set<String> names = Set.copyOf(asked.parameters().getOrDefault(NAME, List.of()));
                run(METRICS, scrapes, reply, () -> metrics(names, accept, reply));
            }
            case HEALTH -> run(HEALTH, probes, reply, () -> health(reply));
            case READINESS -> run(READINESS, probes, reply, () -> readiness(reply));
            default ->
                reply.text(
                        404,
                        "there are /metrics, /healthz and /readyz, and for operators " + OperatorPaths.NAMES + "\n");
        }
    }

    private static void run(String path, ExecutorService thread, AdminHandler.Reply reply, Runnable task) {
        try {
            thread.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException bug) {
                    LOG.error("admin request failed path={}", path, bug);
                    reply.text(500, "it failed: " + bug + "\n");
                }
            });
        } catch (RejectedExecutionException full) {
            reply.text(503, "too many requests wait; ask less often\n");
        }
    }

    private void health(AdminHandler.Reply reply) {
        List<String> now = stuck.get();
        reply.text(now.isEmpty() ? 200 : 503, now.isEmpty() ? "ok\n" : String.join("\n", now) + "\n");
    }

    private void readiness(AdminHandler.Reply reply) {
        Readiness now = readiness.get();
        reply.text(now.ready() ? 200 : 503, text(now));
    }

    private static String text(Readiness now) {
        if (!now.ready()) {
            return now.missing() + "\n";
        }
        return now.missing().isEmpty() ? "ready\n" : "ready, but " + now.missing() + "\n";
    }

    /** @param names of samples; empty: all */
    private void metrics(Set<String> names, String accept, AdminHandler.Reply reply) {
        String type = TextFormat.chooseContentType(accept);
        StringWriter text = new StringWriter();
        try {
            TextFormat.writeFormat(
                    type,
                    text,
                    names.isEmpty() ? registry.metricFamilySamples() : registry.filteredMetricFamilySamples(names));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        reply.send(200, type, text.toString());
    }

    @Override
    public void close() {
        // A loop that is busy when it is told to end may end without closing its channels: the port would take
        // connections, and nobody would answer them.
        channels.close().awaitUninterruptibly();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        probes.shutdownNow();
        scrapes.shutdownNow();
        operators.close();
    }

    private static ExecutorService oneThread(String name) {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), threads(name));
    }

    static ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
