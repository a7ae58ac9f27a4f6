package cleave.frontend.core;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.request.Answer;
import cleave.frontend.tracing.FinishedTrace;
import cleave.frontend.tracing.Span;
import cleave.frontend.tracing.Tracing.Policy;
import cleave.model.Key;
import cleave.model.TraceId;
import cleave.wire.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TracesTest {
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Policy ALL = new Policy(1, SLOW_NANOS, 0);
    private static final Policy NONE = new Policy(0, SLOW_NANOS, 2);
    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";
    private static final String ENTITY = "/tab(PartitionKey='p',RowKey='r')";

    private static CoreClient client(Policy policy) {
        CoreClient client = CoreClient.tracing(policy);
        client.entity(client.table("tab"), "p", "r", 1);
        return client;
    }

    private static List<String> names(FinishedTrace trace) {
        return trace.spans().stream().map(Span::name).toList();
    }

    private static Answer get(CoreClient client, String traceparent) {
        return client.ask("GET", ENTITY, client.headers().with("traceparent", traceparent), "");
    }

    @Test
    void aSampleOfAllIsEveryRequestWithItsParts() {
        CoreClient client = client(ALL);

        client.ask("GET", ENTITY);
        client.ask("GET", ENTITY);
        client.ask("POST", "/tab", "{\"PartitionKey\":\"p\",\"RowKey\":\"s\"}");

        assertThat(client.exported).hasSize(3);
        FinishedTrace first = client.exported.get(0);
        assertThat(names(first)).containsExactly("authenticate", "route", "read", "read");
        assertThat(first.spans()).extracting(Span::parent).containsExactly(-1, -1, 1, -1);
        assertThat(first.outcome())
                .isEqualTo(new FinishedTrace.Outcome("get", "GET", "request-1", CoreClient.ACCOUNT, "tab", 200));
        assertThat(first.parent()).isNull();
        assertThat(names(client.exported.get(1))).containsExactly("authenticate", "route", "read");
        assertThat(names(client.exported.get(2))).containsExactly("authenticate", "receive", "route", "write");
        assertThat(client.exported).extracting(FinishedTrace::id).doesNotHaveDuplicates();
    }

    @Test
    void aSampleOfNothingIsNothing() {
        CoreClient client = client(NONE);

        client.ask("GET", ENTITY);
        client.ask("GET", "/tab(PartitionKey='p',RowKey='none')");
        client.ask("GET", "/none()");

        assertThat(client.exported).isEmpty();
    }

    @Test
    void aTraceOfTheClientIsContinued() {
        CoreClient client = client(ALL);

        get(client, PARENT + "01");

        FinishedTrace trace = client.exported.get(0);
        assertThat(trace.id()).isEqualTo(new TraceId(0x0af7651916cd43ddL, 0x8448eb211c80319cL));
        assertThat(requireNonNull(trace.parent()).span()).isEqualTo(0xb7ad6b7169203331L);
    }

    @Test
    void whatIsMalformedIsIgnored() {
        CoreClient client = client(ALL);

        assertThat(get(client, PARENT + "x1").status()).isEqualTo(200);

        assertThat(client.exported.get(0).parent()).isNull();
    }

    @Test
    void aClientHasItsRequestsTracedButNotMoreThanSomeASecond() {
        CoreClient client = client(NONE);

        for (int i = 0; i < 10; i++) {
            get(client, PARENT + "01");
        }
        assertThat(client.exported).hasSize(2);
        get(client, PARENT + "00");
        client.loop.advance(TimeUnit.SECONDS.toNanos(1));
        get(client, PARENT + "00");
        assertThat(client.exported).hasSize(2);
        get(client, PARENT + "01");
        assertThat(client.exported).hasSize(3);
    }

    /** A stranger costs no trace, whatever flag it sends. */
    @Test
    void aRequestThatIsNotAuthenticatedHasNoTrace() {
        CoreClient client = client(ALL);

        Answer refused = client.askAs(
                "http",
                "GET",
                ENTITY,
                client.headers()
                        .with("Authorization", "SharedKeyLite devstoreaccount1:AAAA")
                        .with("traceparent", PARENT + "01"),
                "");

        assertThat(refused.status()).isEqualTo(403);
        assertThat(client.exported).isEmpty();
    }

    @Test
    void whatFailsIsExportedInAnyCase() {
        CoreClient client = client(NONE);
        client.ask("GET", ENTITY);
        client.cluster.failNext(Fault.LOST_REQUEST);

        Answer answer = client.ask("POST", "/tab", "{\"PartitionKey\":\"p\",\"RowKey\":\"s\"}");

        assertThat(answer.status()).isEqualTo(500);
        assertThat(client.exported).hasSize(1);
        FinishedTrace failed = client.exported.get(0);
        assertThat(failed.outcome().isFailure()).isTrue();
        Span last = failed.spans().get(failed.spans().size() - 1);
        assertThat(requireNonNull(last.attempt()).code()).isNull();
    }

    @Test
    void whatIsSlowIsExportedInAnyCaseWithAllAttempts() {
        CoreClient client = client(NONE);
        client.ask("GET", ENTITY);
        client.cluster.failNext(Fault.BUSY, Fault.SILENCE);
        CompletableFuture<Answer> slow = client.send("GET", ENTITY, client.headers(), "");
        client.loop.advance(SLOW_NANOS);
        client.cluster.move(Key.MIN, "s2").publish();

        assertThat(client.await(slow).status()).isEqualTo(200);

        assertThat(client.exported).hasSize(1);
        FinishedTrace trace = client.exported.get(0);
        assertThat(trace.endedNanos() - trace.beganNanos()).isGreaterThanOrEqualTo(SLOW_NANOS);
        assertThat(names(trace)).containsExactly("authenticate", "route", "read", "read", "read");
        assertThat(trace.spans().subList(2, 5))
                .extracting(span -> requireNonNull(span.attempt()))
                .extracting(attempt -> attempt.server() + " " + attempt.code())
                .containsExactly("s1 BUSY", "s1 null", "s2 OK");
    }

    @Test
    void aTableIsMadeByTheMasters() {
        CoreClient client = client(ALL);

        client.ask("POST", "/Tables", "{\"TableName\":\"made\"}");
        client.ask("DELETE", "/Tables('made')");

        assertThat(names(client.exported.get(0))).contains("master allocate-table-ids");
        assertThat(names(client.exported.get(1))).contains("master drop-table");
    }

    /** Servers say where the time went only if somebody may want to know. */
    @Test
    void serversAreToldOfTheTrace() {
        CoreClient sampled = client(ALL);
        sampled.ask("GET", "/tab()");
        assertThat(sampled.cluster.scans().get(0).getTrace().getAlways()).isTrue();

        CoreClient other = client(NONE);
        other.ask("GET", "/tab()");
        assertThat(other.cluster.scans().get(0).hasTrace()).isTrue();
        assertThat(other.cluster.scans().get(0).getTrace().getAlways()).isFalse();

        CoreClient off = new CoreClient();
        off.table("tab");
        off.ask("GET", "/tab()");
        assertThat(off.cluster.scans().get(0).hasTrace()).isFalse();
    }

    @Test
    void aPageOfVeryManyRangesSaysWhatItsTraceLacks() {
        CoreClient client = CoreClient.tracing(ALL);
        long table = client.table("tab");
        for (int i = 0; i < 200; i++) {
            String key = String.format("p%03d", i);
            client.entity(table, key, "r", i);
            client.cluster.splitAt(Key.beforePartition(table, key));
        }
        client.cluster.publish();

        client.ask("GET", "/tab()");

        FinishedTrace trace = client.exported.get(0);
        assertThat(trace.spans()).hasSize(100);
        assertThat(trace.lostSpans()).isGreaterThan(90);
        assertThat(requireNonNull(trace.spans().get(99).attempt()).code()).isEqualTo(ErrorCode.OK);
    }

    @Test
    void theLatencyHasTheTraceAsItsExample() {
        CoreClient client = client(ALL);

        client.ask("GET", ENTITY);

        String id = client.exported.get(0).id().toString();
        assertThat(java.util.Collections.list(client.registry.metricFamilySamples()).stream()
                        .flatMap(family -> family.samples.stream())
                        .filter(sample -> sample.exemplar != null)
                        .map(sample -> sample.name + " " + sample.exemplar.getLabelValue(0)))
                .containsExactly("cleave_front_end_request_seconds_bucket " + id);
    }
}
