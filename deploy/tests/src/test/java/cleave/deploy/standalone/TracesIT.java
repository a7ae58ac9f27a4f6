package cleave.deploy.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Request;
import cleave.deploy.RawTables;
import cleave.runtime.loop.Await;
import cleave.traces.TraceCollector;
import cleave.traces.TraceCollector.Received;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces of requests through a front end, a partition server and the DFS, as a collector gets them. */
class TracesIT {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "b7ad6b7169203331";

    @TempDir
    private Path dir;

    private Standalone started(TraceCollector collector, String... settings) {
        Map<String, String> all = new TreeMap<>(Map.of("trace.endpoint", collector.url()));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return ReadyStandalone.start(dir, all, new CollectorRegistry());
    }

    /** The spans of the first trace of an operation, one a line: its service, its name and that of its parent. */
    private static List<String> tree(TraceCollector collector, String operation) {
        Await.until(
                operation + " was exported",
                () -> !collector.requestsOf(operation).isEmpty());
        List<Received> spans =
                collector.spans(collector.requestsOf(operation).get(0).trace());
        Map<String, String> names = spans.stream().collect(Collectors.toMap(Received::id, Received::name));
        return spans.stream()
                .map(span -> span.service() + ": " + span.name() + " of " + names.getOrDefault(span.parent(), "-"))
                .toList();
    }

    @Test
    void aRequestIsFollowedThroughAllProcesses() throws Exception {
        try (TraceCollector collector = new TraceCollector();
                Standalone standalone = started(collector, "trace.sample", "100%")) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("notes")).isIn(201, 204);
            assertThat(tables.send(requests -> traced(
                                            requests.insert("notes", "{\"PartitionKey\":\"p\",\"RowKey\":\"r\"}"))
                                    .with("tracestate", "vendor=1"))
                            .status())
                    .isIn(201, 204);
            assertThat(tables.get("notes", "p", "r").status()).isEqualTo(200);
            assertThat(tables.send(requests -> requests.query("notes", List.of()))
                            .status())
                    .isEqualTo(200);

            assertThat(tree(collector, "insert"))
                    .contains(
                            "cleave-front-end: insert of -",
                            "cleave-front-end: authenticate of insert",
                            "cleave-front-end: receive of insert",
                            "cleave-front-end: route of insert",
                            "cleave-front-end: write of insert",
                            "cleave-server: range write of write",
                            "cleave-server: queue of range write",
                            "cleave-server: judge of range write",
                            "cleave-server: append of range write",
                            "cleave-server: apply of range write",
                            "cleave-dfs: dfs queue of append",
                            "cleave-dfs: dfs sync of append");
            Received insert = collector.requestsOf("insert").get(0);
            assertThat(insert.trace()).isEqualTo(TRACE);
            assertThat(insert.parent()).isEqualTo(PARENT);
            assertThat(insert.span().getTraceState()).isEqualTo("vendor=1");
            assertThat(insert.attribute("cleave.table")).isEqualTo("notes");
            assertThat(collector.spans(TRACE)).allSatisfy(span -> {
                assertThat(span.span().getStartTimeUnixNano())
                        .isGreaterThanOrEqualTo(insert.span().getStartTimeUnixNano());
                assertThat(span.span().getEndTimeUnixNano())
                        .isGreaterThanOrEqualTo(span.span().getStartTimeUnixNano());
            });
            assertThat(tree(collector, "get"))
                    .contains(
                            "cleave-server: look-up of range read",
                            "cleave-server: barrier of range read",
                            "cleave-front-end: read of get");
            assertThat(tree(collector, "query"))
                    .contains(
                            "cleave-server: look-up of range scan",
                            "cleave-server: scan of range scan",
                            "cleave-server: barrier of range scan");
            assertThat(tree(collector, "create_table"))
                    .contains("cleave-front-end: master allocate-table-ids of create_table");
        }
    }

    private static Request traced(Request request) {
        return request.with("traceparent", "00-" + TRACE + "-" + PARENT + "-01");
    }

    @Test
    void aClientMayAskForItsTraceWithoutASample() throws Exception {
        try (TraceCollector collector = new TraceCollector();
                Standalone standalone = started(collector, "trace.sample", "0%", "trace.slow", "1h")) {
            RawTables tables = new RawTables(standalone.account());
            tables.createTable("notes");
            tables.get("notes", "p", "none");
            tables.send(requests -> traced(requests.get("notes", "p", "none")));

            assertThat(tree(collector, "get")).contains("cleave-server: barrier of range read");
            assertThat(collector.spans()).extracting(Received::trace).containsOnly(TRACE);
        }
    }

    @Test
    void withoutACollectorRequestsAreServedAllTheSame() throws Exception {
        TraceCollector collector = new TraceCollector();
        collector.close();
        try (Standalone standalone = started(collector, "trace.sample", "100%")) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("notes")).isIn(201, 204);
            for (int i = 0; i < 20; i++) {
                assertThat(tables.put("notes", "p", "r" + i, "text")).isEqualTo(204);
            }
        }
    }
}
