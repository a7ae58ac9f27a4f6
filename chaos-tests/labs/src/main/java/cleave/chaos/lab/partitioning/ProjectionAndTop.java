package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.QueryResult;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** $select saves bytes, $top saves entities, and neither does the other's work. */
final class ProjectionAndTop implements Experiment {
    private static final String PARTITION = "PartitionKey eq 'Sales'";
    private static final int FIRST = 10;

    @Override
    public void run(LabRun run) throws IOException {
        int count = run.of(200, 900);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Staff");
            List<LabEntity> entities = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                String id = String.format(Locale.ROOT, "%06d", i);
                entities.add(
                        LabEntity.of("Sales", id, Map.of("Email", id + "@contoso.com", "Photo", "x".repeat(2_048))));
            }
            client.load(table, entities);
            Map<String, QueryResult> found = new LinkedHashMap<>();
            found.put("everything", client.query(table, PARTITION));
            found.put("$select=Email", client.query(table, PARTITION, "$select=Email"));
            found.put("$select= keys and Email", client.query(table, PARTITION, "$select=PartitionKey,RowKey,Email"));
            found.put("$top=10", client.page(table, PARTITION, null, "$top=" + FIRST));
            found.put(
                    "$top=10 and $select=Email", client.page(table, PARTITION, null, "$top=" + FIRST, "$select=Email"));
            report(run, found);
            claims(run, found, count);
        }
    }

    private static void report(LabRun run, Map<String, QueryResult> found) {
        List<List<String>> rows = new ArrayList<>();
        found.forEach((options, its) -> rows.add(List.of(
                options,
                Long.toString(its.cost().examined()),
                Integer.toString(its.size()),
                Long.toString(its.cost().received()))));
        run.table("The same partition, five times", List.of("options", "examined", "returned", "bytes"), rows);
        run.draw(Chart.bars(
                        "What the client receives",
                        "bytes",
                        "options of the query",
                        List.copyOf(found.keySet()),
                        List.of(Chart.values(
                                "bytes of the answers",
                                found.values().stream()
                                        .map(its -> (double) its.cost().received())
                                        .toList())))
                .onLogarithmicAxis());
    }

    private static void claims(LabRun run, Map<String, QueryResult> found, int count) {
        List<QueryResult> in = List.copyOf(found.values());
        QueryResult whole = in.get(0);
        QueryResult email = in.get(1);
        QueryResult keys = in.get(2);
        QueryResult top = in.get(3);
        run.claim(
                "$select sends less than a tenth of the bytes",
                email.cost().received() * 10 < whole.cost().received(),
                email.cost().received() + " against " + whole.cost().received());
        run.claim(
                "and examines as many entities",
                email.cost().examined() == count && whole.cost().examined() == count,
                email.cost().examined() + " and " + whole.cost().examined());
        run.claim(
                "keys are still at hand if they are selected",
                keys.rowKeys().equals(whole.rowKeys()),
                keys.size() + " entities with their keys");
        run.claim(
                "$top=10 gives the first ten and examines no more",
                top.cost().examined() == FIRST
                        && top.rowKeys().equals(whole.rowKeys().subList(0, FIRST)),
                top.cost().examined() + " examined");
    }
}
