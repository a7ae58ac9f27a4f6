package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.data.Race;
import cleave.client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Registrations for foot races: three partitions, and two rows for each runner, by bib and by age. */
public final class FootRacesLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        int runners = run.of(150, 1_000);
        String table = run.table("Registrations");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(table);
            long trips = client.roundTrips();
            List<Race.Runner> full = List.of();
            for (String distance : Race.DISTANCES) {
                List<Race.Runner> drawn = Race.runners(distance, runners);
                List<LabEntity> rows = new ArrayList<>();
                drawn.forEach(each -> rows.addAll(List.of(each.byBib(), each.byAge())));
                client.load(table, rows);
                full = distance.equals("Full") ? drawn : full;
            }
            trips = client.roundTrips() - trips;
            run.claim(
                    "transactions insert the two rows of 50 runners in one round trip",
                    trips == 3 * ((2L * runners + 99) / 100),
                    trips + " round trips for " + 3 * 2 * runners + " entities");
            queries(run, client, table, full);
            atomicity(run, client, table, full.get(0));
        }
    }

    private static void queries(LabRun run, LabClient client, String table, List<Race.Runner> full) throws IOException {
        String partition = "PartitionKey eq '" + Race.partition("Full") + "'";
        CostTable costs = new CostTable(client);
        List<LabEntity> bibs = new ArrayList<>();
        List<LabEntity> ages = new ArrayList<>();
        List<LabEntity> filtered = new ArrayList<>();
        Cost bib = costs.measure(
                "bib 01234",
                () -> bibs.addAll(
                        client.query(table, partition + " and RowKey ge 'BIB:01234__' and RowKey lt 'BIB:01234_`'")
                                .entities()));
        Cost age = costs.measure(
                "ages 40 to 59",
                () -> ages.addAll(client.query(table, partition + " and RowKey ge 'AGE:040' and RowKey lt 'AGE:060'")
                        .entities()));
        Cost filter = costs.measure(
                "filter on Age",
                () -> filtered.addAll(client.query(table, partition + " and Age ge 40 and Age lt 60 and Kind eq 'BIB'")
                        .entities()));
        Cost event = costs.measure(
                "all distances",
                () -> client.query(
                        table, "PartitionKey ge '" + Race.EVENT + "__' and PartitionKey lt '" + Race.EVENT + "_`'"));
        costs.report(run, "Queries for runners", "entities examined", Cost::examined);
        long expected = full.stream()
                .filter(each -> each.age() >= 40 && each.age() < 60)
                .count();
        run.claim(
                "the bib finds John, and examines no more than one row beyond",
                bibs.size() == 1 && bibs.get(0).text("FirstName").equals("John") && bib.examined() <= 2,
                bib.examined() + " examined");
        run.claim(
                "the ages are one range, in the order of ages, which examines what it returns",
                ages.size() == expected
                        && age.examined() <= expected + 1
                        && ages.stream()
                                .sorted(Comparator.comparing(each -> each.number("Age")))
                                .toList()
                                .equals(ages),
                age.examined() + " examined for " + ages.size());
        run.claim(
                "a filter on the property finds the same runners, and examines the whole race",
                filtered.size() == expected && filter.examined() == 2L * full.size(),
                filter.examined() + " examined");
        run.claim(
                "a range of PartitionKeys reads all three distances and nothing else",
                event.returned() == 6L * full.size() && event.examined() == event.returned(),
                event.examined() + " examined");
    }

    private static void atomicity(LabRun run, LabClient client, String table, Race.Runner runner) throws IOException {
        Race.Runner older =
                new Race.Runner(runner.distance(), runner.bib(), runner.firstName(), runner.sex(), runner.age() + 1);
        List<LabWrite> correction = List.of(
                LabWrite.delete(runner.byBib()),
                LabWrite.delete(runner.byAge()),
                LabWrite.insert(older.byBib()),
                LabWrite.insert(older.byAge()));
        client.transaction(table, correction);
        Answer again = client.tryTransaction(table, correction);
        run.claim(
                "a corrected age moves both rows in one transaction; sent again, the whole is refused",
                again.status() == 404
                        && client.find(
                                        table,
                                        older.byAge().partition(),
                                        older.byAge().row())
                                .isPresent(),
                "the second answered " + again.status());
    }
}
