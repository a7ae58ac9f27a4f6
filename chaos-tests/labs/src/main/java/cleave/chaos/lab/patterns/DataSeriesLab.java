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

/** The messages that an employee sends in each hour of a day: 24 properties of one entity, next to 24 entities. */
public final class DataSeriesLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        int employees = run.of(5, 50);
        String table = run.table("Messages");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(table);
            List<LabEntity> hours = new ArrayList<>();
            List<LabEntity> days = new ArrayList<>();
            for (int employee = 1; employee <= employees; employee++) {
                LabEntity day = LabEntity.of(partition(employee), "20140801");
                for (int hour = 0; hour < 24; hour++) {
                    int count = (employee * 7 + hour * 3) % 20;
                    day = day.with(name(hour), count);
                    hours.add(LabEntity.of(partition(employee), "20140801_" + name(hour))
                            .with("Count", count));
                }
                days.add(day);
            }
            client.load(table, hours);
            client.load(table, days);
            chart(run, client, table, hours, days);
            update(run, client, table);
        }
    }

    private static String partition(int employee) {
        return String.format(Locale.ROOT, "Sales_%06d", employee);
    }

    private static String name(int hour) {
        return String.format(Locale.ROOT, "H%02d", hour);
    }

    private static void chart(LabRun run, LabClient client, String table, List<LabEntity> hours, List<LabEntity> days)
            throws IOException {
        CostTable costs = new CostTable(client);
        List<Long> apart = new ArrayList<>();
        List<Long> together = new ArrayList<>();
        Cost entities = costs.measure(
                "24 entities",
                () -> client.query(
                                table,
                                "PartitionKey eq 'Sales_000001' and RowKey ge '20140801_' and RowKey lt '20140801`'")
                        .entities()
                        .forEach(each -> apart.add(each.number("Count"))));
        Cost series = costs.measure("24 properties", () -> {
            LabEntity day = client.get(table, "Sales_000001", "20140801");
            for (int hour = 0; hour < 24; hour++) {
                together.add(day.number(name(hour)));
            }
        });
        costs.report(run, "One employee's day", "bytes received", Cost::received);
        run.claim("both give the same 24 counts", apart.size() == 24 && apart.equals(together), apart.toString());
        run.claim(
                "the series is one entity to examine and less than a quarter of the bytes",
                series.examined() == 1 && entities.examined() >= 24 && series.received() * 4 < entities.received(),
                Figures.of(series.received()) + " instead of " + Figures.of(entities.received()) + " bytes");
        long stored = hours.stream().mapToLong(LabEntity::storedBytes).sum();
        long inSeries = days.stream().mapToLong(LabEntity::storedBytes).sum();
        run.claim(
                "it takes less than half of the storage",
                inSeries * 2 < stored,
                Figures.of(inSeries) + " instead of " + Figures.of(stored) + " bytes");
    }

    private static void update(LabRun run, LabClient client, String table) throws IOException {
        LabEntity key = LabEntity.of("Sales_000002", "20140801");
        client.write(table, LabWrite.merge(key.with("H09", 90)));
        client.write(table, LabWrite.merge(key.with("H10", 100)));
        LabEntity day = client.get(table, "Sales_000002", "20140801");
        run.claim(
                "two merges of different hours both hold, and the other 22 hours stay",
                Integer.valueOf(90).equals(day.properties().get("H09"))
                        && Integer.valueOf(100).equals(day.properties().get("H10"))
                        && day.properties().size() == 24,
                day.properties().size() + " properties");
        LabEntity mine = client.get(table, "Sales_000002", "20140801");
        client.write(table, LabWrite.merge(mine.with("H09", mine.number("H09") + 1)));
        Answer late = client.tryWrite(table, LabWrite.merge(mine.with("H09", mine.number("H09") + 1)));
        run.claim(
                "of two that add 1 to the same hour, the second gets 412 under the ETag",
                late.status() == 412,
                "status " + late.status());
        client.write(
                table, LabWrite.replace(LabEntity.of("Sales_000003", "20140801").with("H09", 1)));
        int left = client.get(table, "Sales_000003", "20140801").properties().size();
        run.claim("a replace of one hour removes the other 23", left == 1, left + " property");
    }
}
