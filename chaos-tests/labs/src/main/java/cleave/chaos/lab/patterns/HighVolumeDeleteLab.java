package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Logins of old days: a table for each day is dropped, next to one table that is searched and deleted from. */
public final class HighVolumeDeleteLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        int users = run.of(10, 200);
        int logins = run.of(15, 25);
        int days = 3;
        String one = run.table("Logins");
        List<String> daily = new ArrayList<>();
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(one);
            for (int day = 0; day < days; day++) {
                daily.add(run.table("Logins2014080" + (day + 1) + "x"));
                client.createTable(daily.get(day));
            }
            for (int user = 0; user < users; user++) {
                for (int day = 0; day < days; day++) {
                    List<LabEntity> ofDay = ofDay(user, day, logins);
                    client.load(one, ofDay);
                    client.load(daily.get(day), ofDay);
                }
            }
            run.progress("loaded " + users * logins * days + " logins twice");
            compare(run, client, one, daily, users, logins);
        }
    }

    private static List<LabEntity> ofDay(int user, int day, int logins) {
        List<LabEntity> entities = new ArrayList<>();
        for (int i = 0; i < logins; i++) {
            String row = String.format(Locale.ROOT, "201408%02d%02d%04d", day + 1, i % 24, i);
            entities.add(LabEntity.of(String.format(Locale.ROOT, "user_%04d", user), row)
                    .with("Succeeded", i % 7 != 0));
        }
        return entities;
    }

    private static void compare(LabRun run, LabClient client, String one, List<String> daily, int users, int logins)
            throws IOException {
        CostTable costs = new CostTable(client);
        List<LabEntity> old = new ArrayList<>();
        Cost search = costs.measure(
                "search",
                () -> old.addAll(client.query(one, "RowKey lt '20140802'", "$select=PartitionKey,RowKey")
                        .entities()));
        Cost delete = costs.measure("delete by transactions", () -> {
            for (List<LabEntity> batch : LabClient.batches(old)) {
                client.transaction(
                        one,
                        batch.stream()
                                .map(each -> LabWrite.delete(each.at(each.partition(), each.row())))
                                .toList());
            }
        });
        Cost drop = costs.measure("drop the day's table", () -> client.deleteTable(daily.get(0)));
        costs.report(
                run,
                "Deleting one day of " + daily.size() + ", " + Figures.of((long) users * logins) + " logins",
                "round trips",
                Cost::roundTrips);
        run.claim(
                "the search examines the logins of all days, though one is asked for",
                search.examined() == (long) users * logins * daily.size() && old.size() == users * logins,
                Figures.of(search.examined()) + " examined for " + Figures.of(old.size()));
        run.claim(
                "then there is a transaction for each user at least",
                delete.roundTrips() >= users,
                delete.roundTrips() + " for " + users + " users");
        run.claim(
                "dropping a table is one request, and examines no entity",
                drop.roundTrips() == 1 && drop.examined() == 0,
                drop.roundTrips() + " request");
        int left = client.query(daily.get(1), "").size();
        run.claim(
                "the day is gone at once, and the other days are whole",
                client.ask(daily.get(0) + "()").status() == 404 && left == users * logins,
                left + " logins of the next day");
        growth(run);
    }

    /** By the rule that the run showed: 1,000 a page to search, one transaction for each hundred of a user. */
    private static void growth(LabRun run) {
        List<Double> users = List.of(10.0, 100.0, 1_000.0, 10_000.0);
        Map<String, List<Double>> lines = new LinkedHashMap<>();
        lines.put(
                "one table",
                users.stream()
                        .map(each -> Math.ceil(each * 60 * 25 / 1_000) + each)
                        .toList());
        lines.put("a table for each day", users.stream().map(each -> 1.0).toList());
        run.draw(Chart.lines(
                        "Requests to delete one day of 60, 25 logins a user (computed)",
                        "requests",
                        "users",
                        lines.entrySet().stream()
                                .map(line -> new Chart.Series(line.getKey(), users, line.getValue()))
                                .toList())
                .onLogarithmicAxis());
    }
}
