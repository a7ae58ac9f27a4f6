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
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A query for a range of partitions costs what it touches: partitions, ranges and servers. */
final class RangesAndServers implements Experiment {
    private static final int DAYS = 12;
    /** A range holds this many days. */
    private static final int DAYS_OF_RANGE = 4;
    /** What spreads days: a multiplier without a factor in common with their number. */
    private static final int SPREADING = 5;

    @Override
    public void run(LabRun run) throws IOException {
        int each = run.of(20, 75);
        Ranges ranges = Ranges.atRest(run);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String byDay = client.createTable(run, "Days");
            String byHash = client.createTable(run, "Hashed");
            List<String> firsts = new ArrayList<>();
            for (int day = 0; day < DAYS; day += DAYS_OF_RANGE) {
                firsts.add(key(day));
            }
            ranges.spread(client, byDay, firsts);
            ranges.spread(client, byHash, firsts);
            client.load(byDay, entities(each, 1));
            client.load(byHash, entities(each, SPREADING));
            width(run, client, byDay, each);
            compare(run, client, byDay, byHash, each);
        }
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "d%02d", number);
    }

    /** @param spreading 1: the key is the day's own */
    private static List<LabEntity> entities(int each, int spreading) {
        List<LabEntity> entities = new ArrayList<>();
        for (int day = 0; day < DAYS; day++) {
            for (int i = 0; i < each; i++) {
                entities.add(LabEntity.of(
                        key(day * spreading % DAYS), String.format(Locale.ROOT, "%04d", i), Map.of("Day", day)));
            }
        }
        entities.sort(Comparator.comparing(LabEntity::partition));
        return entities;
    }

    private static String days(int from, int until) {
        return "PartitionKey ge '" + key(from) + "' and PartitionKey lt '" + key(until) + "'";
    }

    private static void width(LabRun run, LabClient client, String table, int each) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        List<Double> x = new ArrayList<>();
        List<Double> servers = new ArrayList<>();
        List<Double> ranges = new ArrayList<>();
        boolean exact = true;
        for (int count = 1; count <= DAYS; count++) {
            QueryResult found = client.query(table, days(0, count));
            x.add((double) count);
            servers.add((double) found.cost().servers().size());
            ranges.add((double) found.cost().calls());
            exact &= found.cost().examined() == (long) count * each && found.size() == count * each;
            rows.add(row(Integer.toString(count), found));
        }
        run.say("The first query is for one day, the last for all twelve. Each day is a partition of " + each
                + " entities. The keys before the first day are a range of their own, which holds nothing.");
        run.table("Days in a row", List.of("days", "class", "examined", "ranges", "servers", "calls"), rows);
        run.draw(Chart.lines(
                "Servers asked and calls made by a query for days in a row",
                "count",
                "days",
                List.of(new Series("servers", x, servers), new Series("calls", x, ranges))));
        run.claim("each query examines its own days, and no others", exact, rows.size() + " queries");
        run.claim(
                "up to four days one server is asked, for twelve all three",
                servers.subList(0, DAYS_OF_RANGE).stream().allMatch(count -> count == 1) && servers.get(DAYS - 1) == 3,
                "servers "
                        + servers.stream()
                                .map(count -> Integer.toString(count.intValue()))
                                .toList());
    }

    private static List<String> row(String what, QueryResult found) {
        return List.of(
                what,
                found.cost().queryClass(),
                Long.toString(found.cost().examined()),
                Integer.toString(found.cost().ranges().size()),
                Integer.toString(found.cost().servers().size()),
                Long.toString(found.cost().calls()));
    }

    private static void compare(LabRun run, LabClient client, String byDay, String byHash, int each)
            throws IOException {
        QueryResult inOrder = client.query(byDay, days(0, 3));
        QueryResult hashed = client.query(byHash, "Day lt 3");
        run.table(
                "The first three days",
                List.of("PartitionKey", "class", "examined", "ranges", "servers", "calls"),
                List.of(row("the day", inOrder), row("a hash of the day", hashed)));
        run.claim(
                "both queries find the three days",
                inOrder.size() == 3 * each && hashed.size() == 3 * each,
                inOrder.size() + " and " + hashed.size() + " entities");
        run.claim(
                "in order, one server is asked, and nothing else is examined",
                inOrder.cost().servers().size() == 1 && inOrder.cost().examined() == 3L * each,
                inOrder.cost().servers().size() + " server, " + inOrder.cost().examined() + " examined");
        run.claim(
                "hashed, all three servers are asked, and the whole table is examined",
                hashed.cost().servers().size() == 3 && hashed.cost().examined() == (long) DAYS * each,
                hashed.cost().servers().size() + " servers, " + hashed.cost().examined() + " examined");
    }
}
