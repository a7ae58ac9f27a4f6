package cleave.deploy.role;

import cleave.deploy.CommandFailure;
import cleave.model.Readiness;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin port of a process: {@code /metrics} for Prometheus, {@code /healthz} (the process runs, and none of
 * its loops is stuck), {@code /readyz} (it can do
 * its work now; if not, the body says what is missing). Thread-safe.
 *
 * <p>On threads of its own, few and with a bounded queue: a slow or hostile caller costs the role nothing (invariant I10). A caller
 * that sends no whole request, or takes no answer, holds one of them for seconds only.
 */
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
    private static final int THREADS = 2;
    private static final int WAITING_MAX = 32;
    private static final int BACKLOG = 64;
    private static final String SECONDS_MAX = "5";

    static {
        // There is no other way to tell the server, which waits for ever by default.
        System.setProperty("sun.net.httpserver.maxReqTime", SECONDS_MAX);
        System.setProperty("sun.net.httpserver.maxRspTime", SECONDS_MAX);
    }

    private final HttpServer http;
    private final ExecutorService threads;
    private final CollectorRegistry registry;
    private final Supplier<Readiness> readiness;
    private final Supplier<List<String>> stuck;

    private AdminServer(
            HttpServer http, CollectorRegistry registry, Supplier<Readiness> readiness, Supplier<List<String>> stuck) {
        this.http = http;
        this.registry = registry;
        this.readiness = readiness;
        this.stuck = stuck;
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), task -> {
                    Thread thread = new Thread(task, "admin");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Listens at once, so that {@code /readyz} tells of a start that is under way. */
    public static AdminServer start(
            ListenAddress listen,
            CollectorRegistry registry,
            Supplier<Readiness> readiness,
            Supplier<List<String>> stuck) {
        HttpServer http;
        try {
            http = HttpServer.create(listen.socket(), BACKLOG);
        } catch (BindException inUse) {
            throw CommandFailure.taken("the admin address " + listen + " cannot be listened on (" + inUse.getMessage()
                    + "); give another as admin.listen");
        } catch (IOException failed) {
            throw new UncheckedIOException("admin server on " + listen, failed);
        }
        AdminServer server = new AdminServer(http, registry, readiness, stuck);
        http.setExecutor(server.threads);
        http.createContext("/", server::answer);
        http.start();
        return server;
    }

    public int port() {
        return http.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                send(exchange, 405, "only GET and HEAD\n");
                return;
            }
            switch (exchange.getRequestURI().getPath()) {
                case "/metrics" -> metrics(exchange);
                case "/healthz" -> health(exchange);
                case "/readyz" -> readiness(exchange);
                default -> send(exchange, 404, "there are /metrics, /healthz and /readyz\n");
            }
        } catch (RuntimeException bug) {
            LOG.error("admin request failed path={}", exchange.getRequestURI(), bug);
            throw bug;
        }
    }

    private void health(HttpExchange exchange) throws IOException {
        List<String> now = stuck.get();
        send(exchange, now.isEmpty() ? 200 : 503, now.isEmpty() ? "ok\n" : String.join("\n", now) + "\n");
    }

    private void readiness(HttpExchange exchange) throws IOException {
        Readiness now = readiness.get();
        send(exchange, now.ready() ? 200 : 503, text(now));
    }

    private static String text(Readiness now) {
        if (!now.ready()) {
            return now.missing() + "\n";
        }
        return now.missing().isEmpty() ? "ready\n" : "ready, but " + now.missing() + "\n";
    }

    private void metrics(HttpExchange exchange) throws IOException {
        String type = TextFormat.chooseContentType(exchange.getRequestHeaders().getFirst("Accept"));
        StringWriter text = new StringWriter();
        TextFormat.writeFormat(type, text, registry.metricFamilySamples());
        exchange.getResponseHeaders().set("Content-Type", type);
        send(exchange, 200, text.toString());
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        if (!exchange.getResponseHeaders().containsKey("Content-Type")) {
            exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        boolean hasBody = !exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, hasBody ? bytes.length : -1);
        if (hasBody) {
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
