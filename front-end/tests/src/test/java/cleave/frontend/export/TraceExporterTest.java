package cleave.frontend.export;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.export.TraceExporter.Limits;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.tracing.FinishedTrace;
import cleave.frontend.tracing.FinishedTrace.Outcome;
import cleave.frontend.tracing.Span;
import cleave.frontend.tracing.TraceParent;
import cleave.model.Row;
import cleave.model.TraceId;
import cleave.route.CallTrace.Attempt;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.TestPorts;
import cleave.traces.TraceCollector;
import cleave.traces.TraceCollector.Received;
import cleave.wire.ErrorCode;
import cleave.wire.StepKind;
import cleave.wire.TimedStep;
import cleave.wire.Timing;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TraceExporterTest {
    private static final long MILLI = 1_000_000;
    private static final long BEGAN_TICKS = 17_000_000_000_000_000L;
    private static final long UNIX = BEGAN_TICKS * 100;
    private static final Limits QUICK = new Limits(
            4, 2, TimeUnit.MILLISECONDS.toNanos(20), TimeUnit.SECONDS.toNanos(20), TimeUnit.MILLISECONDS.toNanos(20));

    private final CollectorRegistry registry = new CollectorRegistry();
    private final FrontEndMetrics metrics = new FrontEndMetrics(registry);
    private final TraceCollector collector = new TraceCollector();
    private @Nullable TraceExporter exporter;

    TraceExporterTest() throws IOException {}

    @AfterEach
    void end() {
        collector.close();
        if (exporter != null) {
            exporter.close();
        }
    }

    private TraceExporter exporter(Limits limits) {
        return exporter(limits, collector.url());
    }

    private TraceExporter exporter(Limits limits, String url) {
        TraceExporter made = new TraceExporter(URI.create(url + "/v1/traces"), limits, () -> "fe:1", metrics);
        exporter = made;
        return made;
    }

    private double ended(String outcome) {
        Double value = registry.getSampleValue(
                "cleave_front_end_traces_total", new String[] {"outcome"}, new String[] {outcome});
        return value == null ? -1 : value;
    }

    private static FinishedTrace trace(long number, @Nullable TraceParent parent, int status, Span... spans) {
        return new FinishedTrace(
                new TraceId(7, number),
                parent,
                BEGAN_TICKS,
                1_000,
                1_000 + 10 * MILLI,
                new Outcome("insert", "POST", "request", "shop", "orders", status),
                List.of(spans),
                0);
    }

    private static Span call(long fromMillis, long untilMillis, @Nullable ErrorCode code, TimedStep... steps) {
        long from = 1_000 + fromMillis * MILLI;
        long until = 1_000 + untilMillis * MILLI;
        Timing timing = steps.length == 0
                ? Timing.getDefaultInstance()
                : Timing.newBuilder()
                        .setMicros(6_000)
                        .addAllSteps(List.of(steps))
                        .build();
        return new Span(
                "write", -1, from, until, new Attempt("write", "s1", Row.id(1, 0), from, until, code, "why", timing));
    }

    private static TimedStep step(StepKind kind, int from, int micros) {
        return TimedStep.newBuilder()
                .setKind(kind)
                .setFromMicros(from)
                .setMicros(micros)
                .build();
    }

    @Test
    void aTraceHasTheSpansOfAllProcesses() {
        TraceExporter made = exporter(QUICK);
        made.accept(trace(
                1,
                new TraceParent(new TraceId(7, 1), 5, true, "a=1"),
                201,
                new Span("authenticate", -1, 1_000, 1_000 + MILLI, null),
                call(
                        1,
                        9,
                        ErrorCode.OK,
                        step(StepKind.STEP_QUEUE, 0, 1_000),
                        step(StepKind.STEP_APPEND, 2_000, 3_000),
                        step(StepKind.STEP_DFS_SYNC, 2_500, 2_000))));
        made.send();

        Map<String, Received> byName =
                collector.spans().stream().collect(Collectors.toMap(Received::name, Function.identity()));
        assertThat(byName).hasSize(7);
        Function<String, Received> spans = name -> requireNonNull(byName.get(name), name);
        Received root = spans.apply("insert");
        assertThat(root.parent()).isEqualTo("0000000000000005");
        assertThat(root.span().getKind()).isEqualTo(SpanKind.SPAN_KIND_SERVER);
        assertThat(root.span().getStartTimeUnixNano()).isEqualTo(UNIX);
        assertThat(root.span().getEndTimeUnixNano()).isEqualTo(UNIX + 10 * MILLI);
        assertThat(root.attribute("http.response.status_code")).isEqualTo("201");
        assertThat(root.attribute("cleave.table")).isEqualTo("orders");
        assertThat(root.service() + " " + root.instance()).isEqualTo("cleave-front-end fe:1");
        Received call = spans.apply("write");
        assertThat(call.parent()).isEqualTo(root.id());
        assertThat(spans.apply("authenticate").parent()).isEqualTo(root.id());
        Received server = spans.apply("range write");
        assertThat(server.parent()).isEqualTo(call.id());
        assertThat(server.service() + " " + server.instance()).isEqualTo("cleave-server s1");
        assertThat(server.span().getStartTimeUnixNano())
                .as("in the middle of the call")
                .isEqualTo(UNIX + 2 * MILLI);
        assertThat(spans.apply("queue").parent()).isEqualTo(server.id());
        Received append = spans.apply("append");
        assertThat(append.parent()).isEqualTo(server.id());
        assertThat(append.span().getStartTimeUnixNano()).isEqualTo(UNIX + 4 * MILLI);
        assertThat(spans.apply("dfs sync").parent()).isEqualTo(append.id());
        assertThat(spans.apply("dfs sync").service()).isEqualTo("cleave-dfs");
        assertThat(collector.spans()).extracting(Received::trace).containsOnly("00000000000000070000000000000001");
        assertThat(collector.spans())
                .extracting(each -> each.span().getTraceState())
                .containsOnly("a=1");
        assertThat(collector.spans()).extracting(Received::id).doesNotHaveDuplicates();
        assertThat(ended("sent")).isEqualTo(1);
    }

    @Test
    void aFailureIsSaid() {
        TraceExporter made = exporter(QUICK);
        made.accept(trace(1, null, 500, call(1, 2, null), call(2, 3, ErrorCode.NOT_OWNER)));
        made.send();

        assertThat(collector.spans())
                .extracting(each ->
                        each.name() + " " + each.span().getStatus().getCode() + " " + each.attribute("cleave.code"))
                .containsExactly(
                        "insert " + StatusCode.STATUS_CODE_ERROR + " ",
                        "write " + StatusCode.STATUS_CODE_ERROR + " none",
                        "write " + StatusCode.STATUS_CODE_UNSET + " NOT_OWNER");
        assertThat(collector.spans().get(0).parent()).isEmpty();
    }

    /** A queue that is half full is sent without waiting for the next look, so one batch may be on its way already. */
    @Test
    void aFullQueueDropsAndCounts() {
        TraceExporter made = exporter(QUICK);
        collector.hold();
        for (int i = 1; i <= 10; i++) {
            made.accept(trace(i, null, 200));
        }
        double dropped = ended("dropped");
        assertThat(dropped).isBetween(4.0, 6.0);
        collector.release();

        made.send();

        assertThat(ended("sent")).isEqualTo(10 - dropped);
        assertThat(collector.requests()).as("at most two at a time").isGreaterThanOrEqualTo((int) (10 - dropped) / 2);
        made.accept(trace(11, null, 200));
        made.send();
        assertThat(ended("sent")).isEqualTo(11 - dropped);
    }

    @Test
    void aCollectorThatIsDownCostsOnlyTraces() throws IOException {
        int port = TestPorts.free();
        TraceExporter made = exporter(QUICK, "http://127.0.0.1:" + port);
        made.start();
        made.accept(trace(1, null, 200));
        Await.until("the trace is given up", () -> ended("failed") == 1);

        try (TraceCollector late = new TraceCollector(port)) {
            made.accept(trace(2, null, 200));
            Await.until("the next one is sent", () -> ended("sent") == 1);
            assertThat(late.spans()).extracting(Received::trace).containsExactly("00000000000000070000000000000002");
        }
    }

    @Test
    void whatACollectorHasNoRoomForIsSentAgain() {
        TraceExporter made = exporter(QUICK);
        collector.answer(503);
        made.start();
        made.accept(trace(1, null, 200));
        Await.until("it was asked", () -> collector.requests() > 0);
        collector.answer(200);

        Await.until("it is sent", () -> ended("sent") == 1);
    }

    @Test
    void whatACollectorRefusesIsNotSentAgain() {
        TraceExporter made = exporter(QUICK);
        collector.answer(400);
        made.accept(trace(1, null, 200));
        made.accept(trace(2, null, 200));
        made.accept(trace(3, null, 200));
        made.send();

        assertThat(ended("failed")).isEqualTo(3);
        assertThat(collector.requests()).isEqualTo(2);
    }

    /** A request does not wait for the export of its trace. */
    @Test
    void aCollectorThatAnswersNothingHoldsUpNobody() {
        TraceExporter made = exporter(QUICK);
        collector.hold();
        made.start();
        made.accept(trace(1, null, 200));
        Await.until("it waits for its answer", () -> collector.requests() == 1);
        for (int i = 2; i <= 20; i++) {
            made.accept(trace(i, null, 200));
        }
        assertThat(ended("dropped")).isGreaterThanOrEqualTo(10);
        assertThat(ended("sent")).isZero();
        collector.release();

        Await.until("the others are sent", () -> ended("sent") + ended("dropped") == 20);
    }

    @Test
    void whatWaitsIsSentInTheEnd() {
        TraceExporter made = exporter(QUICK);
        made.accept(trace(1, null, 200));
        made.accept(trace(2, null, 200));
        made.accept(trace(3, null, 200));

        made.close();

        assertThat(ended("sent")).isEqualTo(3);
    }
}
