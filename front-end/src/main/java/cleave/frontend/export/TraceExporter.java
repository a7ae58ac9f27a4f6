package cleave.frontend.export;

import cleave.frontend.export.Expansion.Side;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.metrics.FrontEndMetrics.TraceEnd;
import cleave.frontend.tracing.FinishedTrace;
import cleave.runtime.loop.Periodic;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends finished traces to a collector, in the protocol of OpenTelemetry (OTLP) over HTTP. Thread-safe.
 *
 * <p>To give it a trace never blocks and never fails: traces wait in a queue with a bound, and those beyond it are dropped and counted. One thread
 * turns them into spans and sends them, a few hundred at a time. What a collector does not take is sent again some times, while the queue
 * goes on; then it is lost, and counted. A collector that is down is reported once a minute.
 */
public final class TraceExporter implements Consumer<FinishedTrace>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TraceExporter.class);
    private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int ATTEMPTS = 3;
    private static final String SCOPE = "cleave";

    private final URI endpoint;
    private final Limits limits;
    private final Supplier<String> self;
    private final FrontEndMetrics metrics;
    private final LongSupplier nanos;
    private final HttpClient http;
    private final Periodic periodic = new Periodic("front-end-traces", this::send);
    private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
    private final Queue<FinishedTrace> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean isCalled = new AtomicBoolean();
    private final ReentrantLock sending = new ReentrantLock();
    /** Guarded by the lock, as are the next fields: what the collector has not taken yet, or nothing. */
    private List<FinishedTrace> batch = List.of();

    private int failures;
    private long retryNanos;
    private long lost;
    private boolean isDown;
    private long reportedNanos;

    /**
     * What the export may take. Immutable.
     *
     * @param queue traces that wait
     * @param batch traces sent at once
     * @param pauseNanos between looks at the queue, unless it is half full; an export costs some milliseconds, however few traces it has
     * @param timeoutNanos for a collector's answer
     * @param retryNanos the pause before a batch is sent again
     */
    public record Limits(int queue, int batch, long pauseNanos, long timeoutNanos, long retryNanos) {
        public static final Limits USUAL = new Limits(
                2_048, 256, TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(10), TimeUnit.SECONDS.toNanos(5));
    }

    /**
     * @param endpoint the URL that takes traces
     * @param self the name of this front end; asked for with each batch
     */
    public TraceExporter(URI endpoint, Limits limits, Supplier<String> self, FrontEndMetrics metrics) {
        this(endpoint, limits, self, metrics, System::nanoTime);
    }

    TraceExporter(URI endpoint, Limits limits, Supplier<String> self, FrontEndMetrics metrics, LongSupplier nanos) {
        this.endpoint = endpoint;
        this.limits = limits;
        this.self = self;
        this.metrics = metrics;
        this.nanos = nanos;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofNanos(limits.timeoutNanos()))
                .build();
    }

    /** Begins to send. */
    public void start() {
        periodic.every(limits.pauseNanos());
    }

    @Override
    public void accept(FinishedTrace trace) {
        int now = count.incrementAndGet();
        if (now > limits.queue()) {
            count.decrementAndGet();
            metrics.traceEnded(TraceEnd.DROPPED, 1);
            return;
        }
        waiting.add(trace);
        if (now > limits.queue() / 2 && !isCalled.getAndSet(true)) {
            callSoon();
        }
    }

    private void callSoon() {
        try {
            periodic.soon();
        } catch (java.util.concurrent.RejectedExecutionException closed) {
            // The last look is still to come, or nobody wants these traces any more.
        }
    }

    /** Sends what waits, until the queue is empty or the collector fails. */
    void send() {
        isCalled.set(false);
        sending.lock();
        try {
            boolean goesOn = failures == 0 || nanos.getAsLong() - retryNanos >= 0;
            while (goesOn && takeBatch()) {
                goesOn = sendBatch(limits.timeoutNanos());
            }
        } finally {
            sending.unlock();
        }
    }

    /** False if nothing waits. */
    private boolean takeBatch() {
        if (!batch.isEmpty()) {
            return true;
        }
        List<FinishedTrace> taken = new ArrayList<>();
        FinishedTrace next = waiting.poll();
        while (next != null) {
            count.decrementAndGet();
            taken.add(next);
            next = taken.size() < limits.batch() ? waiting.poll() : null;
        }
        batch = taken;
        return !taken.isEmpty();
    }

    /** False if the collector did not take it and is to be left alone for a while. */
    private boolean sendBatch(long timeoutNanos) {
        String trouble;
        boolean isFinal;
        try {
            int status = post(request(batch).toByteArray(), timeoutNanos);
            if (status / 100 == 2) {
                taken();
                return true;
            }
            trouble = "it answered " + status;
            isFinal = status != 429 && status != 502 && status != 503 && status != 504;
        } catch (IOException failed) {
            trouble = failed.toString();
            isFinal = false;
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            return false;
        }
        failures++;
        if (isFinal || failures >= ATTEMPTS) {
            lose(batch.size());
            batch = List.of();
            failures = isFinal ? 0 : ATTEMPTS - 1; // The next batch has one attempt, until one succeeds.
        }
        retryNanos = nanos.getAsLong() + limits.retryNanos();
        report(trouble);
        return isFinal;
    }

    private void taken() {
        metrics.traceEnded(TraceEnd.SENT, batch.size());
        batch = List.of();
        failures = 0;
        if (isDown) {
            isDown = false;
            LOG.info("the collector takes traces again endpoint={} lost={}", endpoint, lost);
            lost = 0;
        }
    }

    private void lose(int traces) {
        metrics.traceEnded(TraceEnd.FAILED, traces);
        lost += traces;
    }

    private void report(String trouble) {
        long now = nanos.getAsLong();
        if (!isDown || now - reportedNanos >= REPORT_NANOS) {
            isDown = true;
            reportedNanos = now;
            LOG.warn(
                    "the collector takes no traces, requests are served all the same endpoint={} reason={} lost={}",
                    endpoint,
                    trouble,
                    lost);
        }
    }

    private int post(byte[] body, long timeoutNanos) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(endpoint)
                .header("Content-Type", "application/x-protobuf")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        CompletableFuture<HttpResponse<Void>> answer = http.sendAsync(request, HttpResponse.BodyHandlers.discarding());
        try {
            return answer.get(timeoutNanos, TimeUnit.NANOSECONDS).statusCode();
        } catch (ExecutionException failed) {
            throw new IOException(String.valueOf(failed.getCause()), failed);
        } catch (TimeoutException late) {
            answer.cancel(true);
            throw new IOException("no answer in time", late);
        }
    }

    private ExportTraceServiceRequest request(List<FinishedTrace> traces) {
        Side here = new Side("cleave-front-end", self.get());
        Map<Side, List<Span>> byOrigin = new LinkedHashMap<>();
        for (FinishedTrace trace : traces) {
            new Expansion(
                            trace,
                            this::spanId,
                            (origin, span) -> byOrigin.computeIfAbsent(origin, its -> new ArrayList<>())
                                    .add(span))
                    .run(here);
        }
        ExportTraceServiceRequest.Builder request = ExportTraceServiceRequest.newBuilder();
        byOrigin.forEach((origin, spans) -> request.addResourceSpans(ResourceSpans.newBuilder()
                .setResource(resource(origin))
                .addScopeSpans(ScopeSpans.newBuilder()
                        .setScope(io.opentelemetry.proto.common.v1.InstrumentationScope.newBuilder()
                                .setName(SCOPE))
                        .addAllSpans(spans))));
        return request.build();
    }

    private static Resource resource(Side origin) {
        Resource.Builder resource =
                Resource.newBuilder().addAttributes(Expansion.text("service.name", origin.service()));
        if (!origin.instance().isEmpty()) {
            resource.addAttributes(Expansion.text("service.instance.id", origin.instance()));
        }
        return resource.build();
    }

    private long spanId() {
        long id;
        do {
            id = random.nextLong();
        } while (id == 0);
        return id;
    }

    /** Sends what waits once more, if the collector takes it soon, and ends. */
    @Override
    public void close() {
        periodic.close();
        long patience = Math.min(limits.timeoutNanos(), TimeUnit.SECONDS.toNanos(2));
        try {
            if (!sending.tryLock(patience, TimeUnit.NANOSECONDS)) {
                return;
            }
            try {
                boolean goesOn = failures == 0;
                while (goesOn && takeBatch()) {
                    goesOn = sendBatch(patience);
                }
                lose(batch.size() + count.getAndSet(0));
                waiting.clear();
                batch = List.of();
            } finally {
                sending.unlock();
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
