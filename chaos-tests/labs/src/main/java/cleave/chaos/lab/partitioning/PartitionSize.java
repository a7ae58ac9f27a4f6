package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.QueryResult;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a search within a partition costs grows with the partition, whatever it finds. */
final class PartitionSize implements Experiment {
    private static final List<Integer> SIZES = List.of(1, 10, 100, 1_000);
    private static final int FEW = 50;

    @Override
    public void run(LabRun run) throws IOException {
        try (LabClient client = LabClient.open(run.endpoint())) {
            String large = client.createTable(run, "Large");
            String small = client.createTable(run, "Small");
            for (int size : SIZES) {
                client.load(large, partition("a" + name(size), size));
            }
            int largest = run.of(500, 2_000);
            for (int i = 0; i < 4; i++) {
                client.load(large, partition("b" + i, largest));
            }
            for (int i = 0; i < FEW; i++) {
                client.load(small, partition("c" + name(i), 2));
            }
            search(run, client, large);
            compare(run, client, large, small, 2L * largest);
        }
    }

    private static String name(int number) {
        return String.format(Locale.ROOT, "%04d", number);
    }

    /** The last entity alone has the grade that is searched for. */
    private static List<LabEntity> partition(String key, int size) {
        List<LabEntity> entities = new ArrayList<>();
        for (int i = 1; i <= size; i++) {
            entities.add(LabEntity.of(key, name(i), Map.of("Grade", i == size ? 5 : 1)));
        }
        return entities;
    }

    private static void search(LabRun run, LabClient client, String table) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        List<Double> examined = new ArrayList<>();
        List<Double> returned = new ArrayList<>();
        boolean asLarge = true;
        for (int size : SIZES) {
            QueryResult found = client.query(table, "PartitionKey eq 'a" + name(size) + "' and Grade eq 5");
            rows.add(List.of(
                    Integer.toString(size), Long.toString(found.cost().examined()), Integer.toString(found.size())));
            examined.add((double) found.cost().examined());
            returned.add((double) found.size());
            asLarge &= found.cost().examined() == size && found.size() == 1;
        }
        run.say("In each partition one entity is searched for by a property that is no key.");
        run.table("The search in partitions of four sizes", List.of("entities", "examined", "returned"), rows);
        run.draw(Chart.bars(
                        "A search for one entity by a property that is no key",
                        "entities",
                        "entities of the partition",
                        SIZES.stream().map(Object::toString).toList(),
                        List.of(Chart.values("examined", examined), Chart.values("returned", returned)))
                .onLogarithmicAxis());
        run.claim("every search examines its whole partition, to return one entity", asLarge, examined + " examined");
    }

    private static void compare(LabRun run, LabClient client, String large, String small, long expected)
            throws IOException {
        QueryResult range = client.query(large, "PartitionKey ge 'b1' and PartitionKey lt 'b3' and Grade eq 5");
        QueryResult scan = client.query(small, "Grade eq 5");
        run.table(
                "A range of two large partitions, and all of the table of small ones",
                List.of("query", "class", "examined", "returned"),
                List.of(row("two large partitions", range), row("all of " + FEW + " small ones", scan)));
        run.claim(
                "the range of large partitions examines more than the scan of the small ones",
                range.cost().examined() == expected
                        && scan.cost().queryClass().equals("table-scan")
                        && scan.cost().examined() == 2L * FEW
                        && range.cost().examined() > scan.cost().examined(),
                range.cost().examined() + " against " + scan.cost().examined());
    }

    private static List<String> row(String query, QueryResult found) {
        return List.of(
                query,
                found.cost().queryClass(),
                Long.toString(found.cost().examined()),
                Integer.toString(found.size()));
    }
}
