package cleave.traces;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A collector on loopback that keeps all spans it gets. Thread-safe. */
public final class TraceCollector implements AutoCloseable {
    private static final String PATH = "/v1/traces";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile int status = 200;
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** A span and the service that it is of. */
    public record Received(String service, String instance, Span span) {
        public String name() {
            return span.getName();
        }

        /** As 32 hexadecimal digits. */
        public String trace() {
            return HexFormat.of().formatHex(span.getTraceId().toByteArray());
        }

        public String id() {
            return HexFormat.of().formatHex(span.getSpanId().toByteArray());
        }

        /** Empty if it has none. */
        public String parent() {
            return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
        }

        /** Empty if it is absent. */
        public String attribute(String key) {
            return text(span.getAttributesList(), key);
        }
    }

    public TraceCollector() throws IOException {
        this(0);
    }

    /** @param port 0: any */
    public TraceCollector(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext(PATH, this::take);
        server.setExecutor(threads);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            requests.incrementAndGet();
            gate.await();
            boolean isRight =
                    "application/x-protobuf".equals(exchange.getRequestHeaders().getFirst("Content-Type"));
            int answer = isRight ? status : 415;
            if (answer == 200) {
                keep(ExportTraceServiceRequest.parseFrom(body));
            }
            exchange.sendResponseHeaders(answer, -1);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private void keep(ExportTraceServiceRequest request) {
        for (ResourceSpans resource : request.getResourceSpansList()) {
            List<KeyValue> attributes = resource.getResource().getAttributesList();
            for (ScopeSpans scope : resource.getScopeSpansList()) {
                for (Span span : scope.getSpansList()) {
                    received.add(new Received(
                            text(attributes, "service.name"), text(attributes, "service.instance.id"), span));
                }
            }
        }
    }

    private static String text(List<KeyValue> attributes, String key) {
        for (KeyValue each : attributes) {
            if (each.getKey().equals(key)) {
                return each.getValue().hasIntValue()
                        ? Long.toString(each.getValue().getIntValue())
                        : each.getValue().getStringValue();
            }
        }
        return "";
    }

    /** The URL of its port, without a path. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Answers with this status from now on. */
    public void answer(int its) {
        status = its;
    }

    /** Answers nothing until it is {@linkplain #release released}. */
    public void hold() {
        gate = new CountDownLatch(1);
    }

    public void release() {
        gate.countDown();
    }

    /** The exports that came, well or not. */
    public int requests() {
        return requests.get();
    }

    public List<Received> spans() {
        return List.copyOf(received);
    }

    /** The spans of one trace. */
    public List<Received> spans(String trace) {
        return received.stream().filter(each -> each.trace().equals(trace)).toList();
    }

    /** The first spans of traces: those of whole requests. */
    public List<Received> requestsOf(String operation) {
        return received.stream()
                .filter(each -> each.attribute("cleave.operation").equals(operation))
                .toList();
    }

    @Override
    public void close() {
        release();
        server.stop(0);
        threads.shutdownNow();
    }
}
