package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.FullForm;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.QueryResult;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** The same inserts under four PartitionKeys: where they go, and what reading the latest costs. */
final class AppendAndPrepend implements Experiment {
    private static final int BUCKETS = 6;
    private static final int OLD = 600;
    private static final int LATEST = 10;
    private static final int NUMBERS = 10_000;

    /**
     * A design. Immutable.
     *
     * @param key the PartitionKey of the entity with a number, which grows with time
     * @param firsts the PartitionKeys that begin its ranges
     * @param latest reads the latest entities, and gives how many were examined
     */
    private record Design(String name, IntFunction<String> key, List<String> firsts, Latest latest) {}

    private interface Latest {
        QueryResult read(LabClient client, String table, int last) throws IOException;
    }

    private static final List<Design> DESIGNS = List.of(
            new Design(
                    "append: the time",
                    number -> padded(number),
                    List.of(padded(1), padded(OLD / 3), padded(2 * OLD / 3)),
                    (client, table, last) -> client.query(table, "PartitionKey gt '" + padded(last - LATEST) + "'")),
            new Design(
                    "prepend: the time, reversed",
                    number -> padded(NUMBERS - number),
                    List.of("0", padded(NUMBERS - 2 * OLD / 3), padded(NUMBERS - OLD / 3)),
                    (client, table, last) -> client.page(table, "", null, "$top=" + LATEST)),
            new Design(
                    "hash of the time",
                    number -> padded(hash(number)),
                    List.of("0", padded(NUMBERS / 3), padded(2 * NUMBERS / 3)),
                    (client, table, last) -> client.query(table, "Number gt " + (last - LATEST))),
            new Design(
                    "bucket, then the time",
                    number -> number % BUCKETS + "_" + padded(number),
                    List.of("0", "2", "4"),
                    AppendAndPrepend::ofAllBuckets));

    private static String padded(int number) {
        return String.format(Locale.ROOT, "%05d", number);
    }

    /** Scatters the numbers below 10,000: each has another value. */
    private static int hash(int number) {
        return (int) (number * 6_181L % NUMBERS);
    }

    private static QueryResult ofAllBuckets(LabClient client, String table, int last) throws IOException {
        QueryResult all = ofBucket(client, table, 0, last);
        for (int bucket = 1; bucket < BUCKETS; bucket++) {
            all = all.plus(ofBucket(client, table, bucket, last));
        }
        return all;
    }

    private static QueryResult ofBucket(LabClient client, String table, int bucket, int last) throws IOException {
        return client.query(
                table,
                "PartitionKey gt '" + bucket + "_" + padded(last - LATEST) + "' and PartitionKey lt '" + (bucket + 1)
                        + "'");
    }

    @Override
    public Experiment full(FullForm form) {
        return FullTrial.of(form, FullOneRange::append);
    }

    @Override
    public void run(LabRun run) throws IOException {
        int inserts = run.of(60, 600);
        List<Map<String, Integer>> shares = new ArrayList<>();
        List<QueryResult> latest = new ArrayList<>();
        Ranges ranges = Ranges.atRest(run);
        try (LabClient client = LabClient.open(run.endpoint())) {
            for (Design design : DESIGNS) {
                String table = client.createTable(run, "Log");
                fill(client, table, design);
                ranges.spread(client, table, design.firsts());
                shares.add(inserted(client, table, design, inserts));
                latest.add(design.latest().read(client, table, OLD + inserts));
            }
        }
        report(run, ranges.servers(), shares, latest, inserts);
        claims(run, shares, latest, inserts);
    }

    private static LabEntity entity(Design design, int number) {
        return LabEntity.of(design.key().apply(number), "", Map.of("Number", number));
    }

    /** What was there before: a part of it, evenly. */
    private static void fill(LabClient client, String table, Design design) throws IOException {
        for (int number = 10; number <= OLD; number += 10) {
            client.load(table, List.of(entity(design, number)));
        }
    }

    /** The inserts that each server got. */
    private static Map<String, Integer> inserted(LabClient client, String table, Design design, int inserts)
            throws IOException {
        Map<String, Integer> share = new TreeMap<>();
        for (int number = OLD + 1; number <= OLD + inserts; number++) {
            share.merge(
                    client.write(table, LabWrite.insert(entity(design, number)))
                            .servers()
                            .first(),
                    1,
                    Integer::sum);
        }
        return share;
    }

    private static void report(
            LabRun run,
            List<String> servers,
            List<Map<String, Integer>> shares,
            List<QueryResult> latest,
            int inserts) {
        run.say("Each table has three ranges on three servers. " + inserts
                + " inserts with ascending times follow; the front end says for each which server it went to.");
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < DESIGNS.size(); i++) {
            List<String> row = new ArrayList<>(List.of(DESIGNS.get(i).name()));
            for (String server : servers) {
                row.add(Integer.toString(shares.get(i).getOrDefault(server, 0)));
            }
            row.add(Long.toString(latest.get(i).cost().roundTrips()));
            row.add(Long.toString(latest.get(i).cost().examined()));
            rows.add(row);
        }
        List<String> heads = new ArrayList<>(List.of("PartitionKey"));
        servers.forEach(server -> heads.add("inserts on " + server));
        heads.addAll(List.of("queries for the latest " + LATEST, "examined"));
        run.table("Where inserts go, and what reading the latest costs", heads, rows);
        run.draw(Chart.bars(
                "Inserts that each server carries",
                "inserts",
                "PartitionKey",
                DESIGNS.stream().map(Design::name).toList(),
                servers.stream()
                        .map(server -> Chart.values(
                                server,
                                shares.stream()
                                        .map(share -> (double) share.getOrDefault(server, 0))
                                        .toList()))
                        .toList()));
    }

    private static void claims(LabRun run, List<Map<String, Integer>> shares, List<QueryResult> latest, int inserts) {
        run.claim(
                "append: one server gets every insert",
                shares.get(0).size() == 1,
                shares.get(0).toString());
        run.claim(
                "prepend: one server gets every insert",
                shares.get(1).size() == 1,
                shares.get(1).toString());
        for (int i = 2; i < DESIGNS.size(); i++) {
            Map<String, Integer> share = shares.get(i);
            run.claim(
                    DESIGNS.get(i).name() + ": each server gets a fifth of the inserts at least",
                    share.size() == 3 && share.values().stream().allMatch(count -> 5 * count >= inserts),
                    share.toString());
        }
        run.claim(
                "every design finds the latest " + LATEST,
                latest.stream().allMatch(found -> numbers(found).equals(expected(inserts))),
                latest.stream().map(found -> Integer.toString(found.size())).toList() + " entities");
        ToLongFunction<QueryResult> examined = found -> found.cost().examined();
        run.claim(
                "only the hash examines the table for them",
                examined.applyAsLong(latest.get(2)) > 10 * LATEST
                        && IntStream.of(0, 1, 3).allMatch(i -> examined.applyAsLong(latest.get(i)) == LATEST),
                latest.stream()
                                .map(found -> Long.toString(examined.applyAsLong(found)))
                                .toList() + " examined");
    }

    private static List<Integer> numbers(QueryResult found) {
        return found.numbers("Number").stream().sorted().toList();
    }

    private static List<Integer> expected(int inserts) {
        return IntStream.rangeClosed(OLD + inserts - LATEST + 1, OLD + inserts)
                .boxed()
                .toList();
    }
}
