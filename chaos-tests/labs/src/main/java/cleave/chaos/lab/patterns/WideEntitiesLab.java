package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The counts of a year: 365 properties in two entities. */
public final class WideEntitiesLab implements Experiment {
    private static final int PROPERTIES_MAX = 252;
    private static final int DAYS = 365;

    @Override
    public void run(LabRun run) throws IOException {
        String table = run.table("Messages");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(table);
            limit(run, client, table);
            List<LabWrite> parts = new ArrayList<>();
            for (int part = 0; part < 2; part++) {
                LabEntity entity = LabEntity.of("Sales_000123", String.format(Locale.ROOT, "%02d", part + 1));
                for (int day = part * PROPERTIES_MAX; day < Math.min(DAYS, (part + 1) * PROPERTIES_MAX); day++) {
                    entity = entity.with(name(day), day % 17);
                }
                parts.add(LabWrite.insert(entity));
            }
            client.transaction(table, parts);
            read(run, client, table);
            change(run, client, table);
        }
    }

    private static String name(int day) {
        return String.format(Locale.ROOT, "D%03d", day + 1);
    }

    private static void limit(LabRun run, LabClient client, String table) throws IOException {
        LabEntity full = LabEntity.of("limit", "1");
        for (int day = 0; day < PROPERTIES_MAX; day++) {
            full = full.with(name(day), day);
        }
        Answer more = client.tryWrite(table, LabWrite.insert(full.with(name(PROPERTIES_MAX), 0)));
        Answer most = client.tryWrite(table, LabWrite.insert(full));
        Answer merged =
                client.tryWrite(table, LabWrite.merge(LabEntity.of("limit", "1").with(name(PROPERTIES_MAX), 0)));
        run.claim(
                "252 properties are stored, 253 are refused, by insert and by merge alike",
                most.isSuccess() && more.status() == 400 && merged.status() == 400,
                most.status() + ", " + more.status() + " " + more.errorCode() + ", " + merged.status());
    }

    private static void read(LabRun run, LabClient client, String table) throws IOException {
        CostTable costs = new CostTable(client);
        List<LabEntity> read = new ArrayList<>();
        Cost points = costs.measure("two point queries", () -> {
            read.add(client.get(table, "Sales_000123", "01"));
            read.add(client.get(table, "Sales_000123", "02"));
        });
        Cost range = costs.measure(
                "one range",
                () -> client.query(table, "PartitionKey eq 'Sales_000123' and RowKey ge '01' and RowKey le '02'"));
        costs.report(run, "A year of 365 counts", "round trips", Cost::roundTrips);
        int counts = read.stream().mapToInt(each -> each.properties().size()).sum();
        run.claim("the two entities hold the whole year", counts == DAYS, counts + " counts");
        run.claim(
                "two point queries or one range: two entities are examined",
                points.roundTrips() == 2 && range.roundTrips() == 1 && points.examined() == 2 && range.examined() <= 3,
                points.examined() + " and " + range.examined());
    }

    private static void change(LabRun run, LabClient client, String table) throws IOException {
        LabEntity first = LabEntity.of("Sales_000123", "01").with("D001", 1_000);
        LabEntity second = LabEntity.of("Sales_000123", "02").with("D365", 1_000);
        client.transaction(table, List.of(LabWrite.merge(first), LabWrite.merge(second)));
        long january = client.get(table, "Sales_000123", "01").number("D001");
        long december = client.get(table, "Sales_000123", "02").number("D365");
        run.claim(
                "one transaction of two merges changes the first and the last day",
                january == 1_000 && december == 1_000,
                january + ", " + december);
    }
}
