package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.QueryResult;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Series;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Keys are strings: "111" comes before "2", unless it is padded. */
final class OrderAndPadding implements Experiment {
    private static final String PLAIN = "plain";
    private static final String PADDED = "padded";
    private static final String LATEST_FIRST = "latest-first";
    private static final int LOW = 2;
    private static final int HIGH = 20;
    private static final int LATEST = 5;

    @Override
    public void run(LabRun run) throws IOException {
        int count = run.of(150, 600);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Order");
            load(client, table, PLAIN, count, Integer::toString);
            load(client, table, PADDED, count, OrderAndPadding::padded);
            load(client, table, LATEST_FIRST, count, number -> padded(99_999_999 - number));
            List<Integer> plain = numbers(client.query(table, partition(PLAIN)));
            List<Integer> padded = numbers(client.query(table, partition(PADDED)));
            order(run, plain, padded);
            range(run, client, table);
            latest(run, client, table, count);
        }
    }

    private static void load(LabClient client, String table, String partition, int count, IntFunction<String> rowKey)
            throws IOException {
        List<LabEntity> entities = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            entities.add(LabEntity.of(partition, rowKey.apply(number), Map.of("Number", number)));
        }
        client.load(table, entities);
    }

    private static String padded(int number) {
        return String.format(Locale.ROOT, "%08d", number);
    }

    private static String partition(String name) {
        return "PartitionKey eq '" + name + "'";
    }

    private static List<Integer> numbers(QueryResult found) {
        return found.numbers("Number");
    }

    private static void order(LabRun run, List<Integer> plain, List<Integer> padded) {
        run.say(
                "The same numbers were stored under two forms of RowKey, and read in the order in which the service gives them.");
        run.draw(Chart.lines(
                "In which order the numbers come back",
                "number",
                "place in the answer",
                List.of(points("RowKey 1, 2, 3", plain), points("RowKey 00000001, 00000002, 00000003", padded))));
        run.table(
                "The first eight of each",
                List.of("RowKey", "numbers in the order of the answer"),
                List.of(List.of("123", first(plain)), List.of("00000123", first(padded))));
        run.claim(
                "without padding 111 comes before 2",
                plain.indexOf(111) < plain.indexOf(2),
                "111 at place " + (plain.indexOf(111) + 1) + ", 2 at place " + (plain.indexOf(2) + 1));
        run.claim("padded, the order is that of the numbers", padded.equals(sorted(padded)), first(padded));
    }

    private static List<Integer> sorted(List<Integer> numbers) {
        return numbers.stream().sorted().toList();
    }

    private static String first(List<Integer> numbers) {
        return String.join(", ", numbers.stream().limit(8).map(Object::toString).toList());
    }

    private static Series points(String name, List<Integer> numbers) {
        return new Series(
                name,
                IntStream.rangeClosed(1, numbers.size())
                        .mapToObj(place -> (double) place)
                        .toList(),
                numbers.stream().map(Integer::doubleValue).toList());
    }

    private static void range(LabRun run, LabClient client, String table) throws IOException {
        QueryResult plain =
                client.query(table, partition(PLAIN) + " and RowKey ge '" + LOW + "' and RowKey lt '" + HIGH + "'");
        QueryResult padded = client.query(
                table, partition(PADDED) + " and RowKey ge '" + padded(LOW) + "' and RowKey lt '" + padded(HIGH) + "'");
        run.table(
                "The query for 2 to 19",
                List.of("bounds", "returned", "examined"),
                List.of(row("'2', '20'", plain), row("'00000002', '00000020'", padded)));
        run.claim("without padding the query for 2 to 19 misses most", plain.size() == 1, plain.size() + " returned");
        run.claim(
                "padded, it gives exactly the 18, and examines no other",
                padded.size() == HIGH - LOW && padded.cost().examined() == HIGH - LOW,
                padded.size() + " returned, " + padded.cost().examined() + " examined");
    }

    private static List<String> row(String bounds, QueryResult found) {
        return List.of(
                bounds,
                Integer.toString(found.size()),
                Long.toString(found.cost().examined()));
    }

    private static void latest(LabRun run, LabClient client, String table, int count) throws IOException {
        QueryResult latest = client.page(table, partition(LATEST_FIRST), null, "$top=" + LATEST);
        QueryResult all = client.query(table, partition(PADDED));
        run.table(
                "The latest " + LATEST + " entities",
                List.of("RowKey", "returned", "examined"),
                List.of(
                        row("number, ascending: read all, keep the last", all),
                        row("99999999 - number: $top=5", latest)));
        List<Integer> expected =
                IntStream.range(0, LATEST).mapToObj(i -> count - i).toList();
        run.claim(
                "with a falling RowKey the latest " + LATEST + " come first, and no other entity is read",
                numbers(latest).equals(expected) && latest.cost().examined() == LATEST,
                numbers(latest) + ", " + latest.cost().examined() + " examined");
    }
}
