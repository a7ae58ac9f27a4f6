package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabClient.Pending;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.QueryResult;
import cleave.chaos.picture.Chart;
import cleave.client.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Twelve partitions read one after another, several at a time, and all at once. */
final class ParallelQueries implements Experiment {
    private static final int PARTITIONS = 12;
    private static final int SERVERS = 3;
    private static final List<Integer> AT_A_TIME = List.of(1, 3, 6, 12);
    /** Of an imagined network between client and service. */
    private static final int NETWORK_MILLIS = 50;

    private static final double NANOS_PER_MILLI = 1e6;

    /** How the partitions were read. Immutable. */
    private record Seen(int atATime, int waits, QueryResult all, double millis) {}

    @Override
    public void run(LabRun run) throws IOException {
        int each = run.of(40, 200);
        Ranges ranges = Ranges.atRest(run);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Parallel");
            ranges.spread(client, table, List.of(key(0), key(PARTITIONS / SERVERS), key(2 * PARTITIONS / SERVERS)));
            List<String> written = new ArrayList<>();
            client.load(table, entities(each, written));
            List<Seen> seen = new ArrayList<>();
            read(run.endpoint(), table, PARTITIONS); // Warms up.
            for (int atATime : AT_A_TIME) {
                seen.add(read(run.endpoint(), table, atATime));
            }
            QueryResult whole = client.query(table, "PartitionKey ge '" + key(0) + "'");
            report(run, seen, whole);
            claims(run, seen, whole, written);
        }
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "p%02d", number);
    }

    private static List<LabEntity> entities(int each, List<String> keys) {
        List<LabEntity> entities = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int row = 0; row < each; row++) {
                String rowKey = String.format(Locale.ROOT, "%04d", row);
                entities.add(LabEntity.of(key(partition), rowKey).with("Text", "x".repeat(100)));
                keys.add(key(partition) + "/" + rowKey);
            }
        }
        return entities;
    }

    /** Reads all partitions in rounds: a round sends its queries, each on a connection of its own, before it reads the first answer. */
    private static Seen read(Endpoint endpoint, String table, int atATime) throws IOException {
        List<LabClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < atATime; i++) {
                clients.add(LabClient.open(endpoint));
            }
            long begun = System.nanoTime();
            QueryResult all = new QueryResult(List.of(), Cost.NONE, null);
            int waits = 0;
            for (int from = 0; from < PARTITIONS; from += atATime) {
                List<Pending<QueryResult>> pending = new ArrayList<>();
                for (int i = 0; i < atATime; i++) {
                    pending.add(clients.get(i).begin(table, "PartitionKey eq '" + key(from + i) + "'"));
                }
                waits++; // For the slowest of them.
                for (Pending<QueryResult> each : pending) {
                    all = all.plus(each.answer());
                }
            }
            return new Seen(atATime, waits, all, (System.nanoTime() - begun) / NANOS_PER_MILLI);
        } finally {
            for (LabClient client : clients) {
                client.close();
            }
        }
    }

    private static void report(LabRun run, List<Seen> seen, QueryResult whole) {
        List<List<String>> rows = new ArrayList<>();
        for (Seen each : seen) {
            rows.add(List.of(
                    each.atATime() == 1 ? "one after another" : each.atATime() + " at a time",
                    Long.toString(each.all().cost().roundTrips()),
                    Integer.toString(each.waits()),
                    Long.toString(each.all().cost().examined()),
                    Integer.toString(each.all().cost().servers().size()),
                    String.format(Locale.ROOT, "%.1f ms", each.millis()),
                    String.format(Locale.ROOT, "%.0f ms", each.millis() + each.waits() * (double) NETWORK_MILLIS)));
        }
        rows.add(List.of(
                "one query for all keys",
                Long.toString(whole.cost().roundTrips()),
                Long.toString(whole.cost().roundTrips()),
                Long.toString(whole.cost().examined()),
                Integer.toString(whole.cost().servers().size()),
                "-",
                "-"));
        run.say(
                "Each partition is read by a query of its own. The client counts how often it has to wait: queries that are sent before an answer is"
                        + " read are waited for together. The time is that of this machine; the last column adds "
                        + NETWORK_MILLIS
                        + " ms for each wait.");
        run.table(
                "Twelve partitions on three servers",
                List.of("queries", "requests", "waits", "examined", "servers", "time here", "across a network"),
                rows);
        run.draw(Chart.bars(
                "Waits of the client for twelve partitions",
                "count",
                "queries at a time",
                AT_A_TIME.stream().map(Object::toString).toList(),
                List.of(
                        Chart.values(
                                "waits",
                                seen.stream().map(each -> (double) each.waits()).toList()),
                        Chart.values(
                                "requests",
                                seen.stream()
                                        .map(each -> (double) each.all().cost().roundTrips())
                                        .toList()))));
    }

    private static void claims(LabRun run, List<Seen> seen, QueryResult whole, List<String> written) {
        Seen first = seen.get(0);
        Seen last = seen.get(seen.size() - 1);
        run.claim(
                "one after another the client waits twelve times, all at once a single time",
                first.waits() == PARTITIONS && last.waits() == 1,
                seen.stream().map(each -> Integer.toString(each.waits())).toList() + " waits");
        run.claim(
                "every way sends the same requests, examines the same entities, and finds them all",
                seen.stream()
                        .allMatch(each -> each.all().cost().roundTrips() == PARTITIONS
                                && each.all().cost().examined() == written.size()
                                && keys(each.all()).equals(written)),
                PARTITIONS + " requests, " + written.size() + " entities");
        run.claim(
                "each way asks all three servers; all at once, while each has several requests to work on",
                seen.stream().allMatch(each -> each.all().cost().servers().size() == SERVERS),
                last.all().cost().servers().toString());
        run.claim(
                "one query for all keys finds the same, in as many requests as pages, and calls of the front end to each server",
                keys(whole).equals(written) && whole.cost().calls() >= SERVERS,
                whole.cost().roundTrips() + " requests, " + whole.cost().calls() + " calls");
    }

    private static List<String> keys(QueryResult found) {
        return found.entities().stream()
                .map(entity -> entity.partition() + "/" + entity.row())
                .toList();
    }
}
