package cleave.frontend.export;

import static io.opentelemetry.proto.trace.v1.Span.SpanKind.SPAN_KIND_CLIENT;
import static io.opentelemetry.proto.trace.v1.Span.SpanKind.SPAN_KIND_INTERNAL;
import static io.opentelemetry.proto.trace.v1.Span.SpanKind.SPAN_KIND_SERVER;

import cleave.frontend.tracing.FinishedTrace;
import cleave.frontend.tracing.FinishedTrace.Outcome;
import cleave.frontend.tracing.TraceParent;
import cleave.model.Row;
import cleave.model.TraceId;
import cleave.route.CallTrace.Attempt;
import cleave.wire.ErrorCode;
import cleave.wire.StepKind;
import cleave.wire.TimedStep;
import cleave.wire.Timing;
import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the spans of one trace in the form of OpenTelemetry: those of the front end, and from the timings that came with replies those of
 * servers and of the DFS. For one trace, in one thread.
 *
 * <p>Clocks of different processes are not compared: what a server says of its time is put in the middle of the call to it.
 */
final class Expansion {
    private static final long MICRO_NANOS = 1_000;
    private static final int TICK_NANOS = 100;

    private final FinishedTrace trace;
    private final LongSupplier ids;
    private final BiConsumer<Side, Span> out;
    private final ByteString traceId;
    private final String state;

    /**
     * Where spans come from: what OpenTelemetry calls a resource.
     *
     * @param service the name of its sort
     * @param instance the name of the process; empty if it is not known
     */
    record Side(String service, String instance) {}

    private static final Side DFS = new Side("cleave-dfs", "");

    /**
     * @param ids of spans: random, never 0
     * @param out takes the spans
     */
    Expansion(FinishedTrace trace, LongSupplier ids, BiConsumer<Side, Span> out) {
        this.trace = trace;
        this.ids = ids;
        this.out = out;
        this.traceId = bytes(trace.id());
        TraceParent parent = trace.parent();
        this.state = parent == null ? "" : parent.state();
    }

    private static ByteString bytes(TraceId id) {
        ByteBuffer bytes =
                ByteBuffer.allocate(2 * Long.BYTES).putLong(id.high()).putLong(id.low());
        return ByteString.copyFrom(bytes.flip());
    }

    private static ByteString bytes(long span) {
        return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(span).flip());
    }

    /** @param self the front end */
    void run(Side self) {
        long root = root(self);
        List<Long> known = new ArrayList<>();
        for (var span : trace.spans()) {
            long parent = span.parent() < 0 ? root : known.get(span.parent());
            Attempt attempt = span.attempt();
            known.add(attempt == null ? part(self, span, parent) : call(self, attempt, parent));
        }
    }

    private long root(Side self) {
        TraceParent parent = trace.parent();
        Outcome outcome = trace.outcome();
        long id = ids.getAsLong();
        Span.Builder span = span(id, outcome.operation(), SPAN_KIND_SERVER, trace.beganNanos(), trace.endedNanos())
                .addAttributes(text("http.request.method", outcome.method()))
                .addAttributes(number("http.response.status_code", outcome.status()))
                .addAttributes(text("cleave.operation", outcome.operation()))
                .addAttributes(text("cleave.account", outcome.account()))
                .addAttributes(text("cleave.request_id", outcome.requestId()));
        if (parent != null) {
            span.setParentSpanId(bytes(parent.span()));
        }
        if (outcome.table() != null) {
            span.addAttributes(text("cleave.table", outcome.table()));
        }
        if (trace.lostSpans() > 0) {
            span.addAttributes(number("cleave.lost_spans", trace.lostSpans()));
        }
        if (outcome.isFailure()) {
            span.setStatus(error("status " + outcome.status()));
        }
        out.accept(self, span.build());
        return id;
    }

    private long part(Side self, cleave.frontend.tracing.Span span, long parent) {
        SpanKind kind = span.name().startsWith("master ") ? SPAN_KIND_CLIENT : SPAN_KIND_INTERNAL;
        return add(self, span(ids.getAsLong(), span.name(), kind, span.fromNanos(), span.untilNanos()), parent);
    }

    /** A call to a server, and what the server and the DFS did meanwhile. */
    private long call(Side self, Attempt attempt, long parent) {
        ErrorCode code = attempt.code();
        Span.Builder span = span(
                        ids.getAsLong(), attempt.kind(), SPAN_KIND_CLIENT, attempt.fromNanos(), attempt.untilNanos())
                .addAttributes(text("cleave.server", attempt.server()))
                .addAttributes(text("cleave.range", Row.idText(attempt.range())))
                .addAttributes(text("cleave.code", code == null ? "none" : code.name()));
        if (code == null) {
            span.setStatus(error(attempt.message()));
        } else if (isError(code)) {
            span.setStatus(error(code.name()));
        }
        long id = add(self, span, parent);
        if (attempt.timing().getMicros() > 0 || attempt.timing().getStepsCount() > 0) {
            ofServer(attempt, id);
        }
        return id;
    }

    /** False for what clients expect now and then, and for a range that has moved. */
    private static boolean isError(ErrorCode code) {
        return switch (code) {
            case OK, ALREADY_EXISTS, NOT_FOUND, CONDITION_FAILED, NOT_OWNER -> false;
            default -> true;
        };
    }

    private void ofServer(Attempt attempt, long call) {
        Timing timing = attempt.timing();
        Side server = new Side("cleave-server", attempt.server());
        long whole = attempt.untilNanos() - attempt.fromNanos();
        long its = Math.min(whole, Integer.toUnsignedLong(timing.getMicros()) * MICRO_NANOS);
        long arrived = attempt.fromNanos() + (whole - its) / 2;
        long id = add(
                server,
                span(ids.getAsLong(), "range " + attempt.kind(), SPAN_KIND_SERVER, arrived, arrived + its)
                        .addAttributes(text("cleave.range", Row.idText(attempt.range()))),
                call);
        long append = id;
        for (TimedStep step : timing.getStepsList()) {
            switch (step.getKind()) {
                case STEP_APPEND, STEP_BARRIER -> append = step(server, step, arrived, SPAN_KIND_CLIENT, id);
                case STEP_DFS_QUEUE, STEP_DFS_SYNC -> step(DFS, step, arrived, SPAN_KIND_SERVER, append);
                case STEP_NONE, UNRECOGNIZED -> {
                    // Of a newer server.
                }
                default -> step(server, step, arrived, SPAN_KIND_INTERNAL, id);
            }
        }
    }

    private long step(Side origin, TimedStep step, long arrived, SpanKind kind, long parent) {
        long from = arrived + Integer.toUnsignedLong(step.getFromMicros()) * MICRO_NANOS;
        long until = from + Integer.toUnsignedLong(step.getMicros()) * MICRO_NANOS;
        return add(origin, span(ids.getAsLong(), name(step.getKind()), kind, from, until), parent);
    }

    private static String name(StepKind kind) {
        return switch (kind) {
            case STEP_QUEUE -> "queue";
            case STEP_JUDGE -> "judge";
            case STEP_LOOK_UP -> "look-up";
            case STEP_APPEND -> "append";
            case STEP_BARRIER -> "barrier";
            case STEP_SCAN -> "scan";
            case STEP_APPLY -> "apply";
            case STEP_DFS_QUEUE -> "dfs queue";
            case STEP_DFS_SYNC -> "dfs sync";
            case STEP_NONE, UNRECOGNIZED -> throw new AssertionError("no step");
        };
    }

    private Span.Builder span(long id, String name, SpanKind kind, long from, long until) {
        return Span.newBuilder()
                .setTraceId(traceId)
                .setSpanId(bytes(id))
                .setTraceState(state)
                .setName(name)
                .setKind(kind)
                .setStartTimeUnixNano(unix(from))
                .setEndTimeUnixNano(unix(until));
    }

    private long add(Side origin, Span.Builder span, long parent) {
        out.accept(origin, span.setParentSpanId(bytes(parent)).build());
        return ByteBuffer.wrap(span.getSpanId().toByteArray()).getLong();
    }

    private long unix(long nanos) {
        return trace.beganTicks() * TICK_NANOS + (nanos - trace.beganNanos());
    }

    private static Status.Builder error(@Nullable String message) {
        return Status.newBuilder()
                .setCode(Status.StatusCode.STATUS_CODE_ERROR)
                .setMessage(message == null ? "" : message);
    }

    static KeyValue text(String key, String value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setStringValue(value))
                .build();
    }

    private static KeyValue number(String key, long value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setIntValue(value))
                .build();
    }
}
