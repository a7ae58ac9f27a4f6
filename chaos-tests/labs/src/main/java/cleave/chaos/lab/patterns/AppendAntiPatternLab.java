package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Accesses by employees, in the order in which they happen: all to the hour's partition, or each to its employee's. */
public final class AppendAntiPatternLab implements Experiment {
    private static final int EMPLOYEES = 50;

    /** One access. */
    private record Access(int employee, String time) {
        LabEntity byHour() {
            return LabEntity.of(time.substring(0, 10), time + "_" + person()).with("Employee", person());
        }

        LabEntity byEmployee() {
            return LabEntity.of("Sales_" + person(), time).with("Employee", person());
        }

        private String person() {
            return String.format(Locale.ROOT, "%06d", employee);
        }
    }

    @Override
    public void run(LabRun run) throws IOException {
        List<Access> accesses = drawn(run.of(600, 4_000));
        String byHour = run.table("ByHour");
        String byEmployee = run.table("ByEmployee");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(byHour);
            client.createTable(byEmployee);
            client.load(byHour, accesses.stream().map(Access::byHour).toList());
            List<LabEntity> sorted =
                    new ArrayList<>(accesses.stream().map(Access::byEmployee).toList());
            sorted.sort((a, b) -> (a.partition() + a.row()).compareTo(b.partition() + b.row()));
            client.load(byEmployee, sorted);
            inserts(run, accesses);
            questions(run, client, byHour, byEmployee);
        }
    }

    private static List<Access> drawn(int count) {
        Random random = new Random(12);
        List<Access> accesses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int second = (int) (4L * 3_600 * i / count);
            accesses.add(new Access(
                    1 + random.nextInt(EMPLOYEES),
                    String.format(
                            Locale.ROOT,
                            "20140731%02d%02d%02d%04d",
                            8 + second / 3_600,
                            second / 60 % 60,
                            second % 60,
                            i)));
        }
        return accesses;
    }

    /** Of each hour: the partitions that its inserts go to, and the share of the busiest. */
    private static void inserts(LabRun run, List<Access> accesses) {
        Map<String, Map<String, Integer>> hours = new HashMap<>();
        for (Access access : accesses) {
            String hour = access.time().substring(8, 10);
            hours.computeIfAbsent("hour " + hour, any -> new HashMap<>())
                    .merge(access.byHour().partition(), 1, Integer::sum);
            hours.computeIfAbsent("employee " + hour, any -> new HashMap<>())
                    .merge(access.byEmployee().partition(), 1, Integer::sum);
        }
        List<String> names = List.of("08", "09", "10", "11");
        List<Double> appended = new ArrayList<>();
        List<Double> spread = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (String name : names) {
            Map<String, Integer> one = hours.getOrDefault("hour " + name, Map.of());
            Map<String, Integer> many = hours.getOrDefault("employee " + name, Map.of());
            appended.add(busiest(one));
            spread.add(busiest(many));
            rows.add(List.of(
                    name,
                    Figures.of(one.size()),
                    Figures.of(many.size()),
                    percent(busiest(one)),
                    percent(busiest(many))));
        }
        run.table(
                "Where an hour's inserts go",
                List.of(
                        "hour",
                        "partitions, by hour",
                        "partitions, by employee",
                        "busiest, by hour",
                        "busiest, by employee"),
                rows);
        run.draw(Chart.bars(
                "Share of the busiest partition",
                "per cent of the inserts",
                "hour",
                names,
                List.of(Chart.values("by hour", appended), Chart.values("by employee", spread))));
        run.claim(
                "by hour, one partition takes all inserts of an hour",
                appended.stream().allMatch(share -> share == 100),
                appended.toString());
        run.claim(
                "by employee, no partition takes more than a tenth",
                spread.stream().allMatch(share -> share <= 10),
                rows.toString());
    }

    private static double busiest(Map<String, Integer> partitions) {
        int sum = partitions.values().stream().mapToInt(Integer::intValue).sum();
        int most =
                partitions.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        return sum == 0 ? 0 : 100.0 * most / sum;
    }

    private static String percent(double share) {
        return Math.round(share) + " %";
    }

    private static void questions(LabRun run, LabClient client, String byHour, String byEmployee) throws IOException {
        CostTable costs = new CostTable(client);
        Cost hourOfHours =
                costs.measure("an hour, by hour", () -> client.query(byHour, "PartitionKey eq '2014073109'"));
        Cost hourOfEmployees = costs.measure(
                "an hour, by employee",
                () -> client.query(byEmployee, "RowKey ge '2014073109' and RowKey lt '2014073110'"));
        Cost oneOfHours = costs.measure("an employee, by hour", () -> client.query(byHour, "Employee eq '000007'"));
        Cost oneOfEmployees = costs.measure(
                "an employee, by employee", () -> client.query(byEmployee, "PartitionKey eq 'Sales_000007'"));
        costs.report(run, "What the keys answer", "entities examined", Cost::examined);
        run.claim(
                "an hour is one partition in one design, and a scan of the table in the other",
                hourOfHours.examined() <= hourOfHours.returned() + 1
                        && hourOfEmployees.examined() > 3 * hourOfEmployees.returned()
                        && hourOfHours.returned() == hourOfEmployees.returned(),
                hourOfHours.examined() + " and " + hourOfEmployees.examined() + " examined");
        run.claim(
                "an employee is the other way round",
                oneOfEmployees.examined() <= oneOfEmployees.returned() + 1
                        && oneOfHours.examined() > 10 * oneOfEmployees.examined(),
                oneOfEmployees.examined() + " and " + oneOfHours.examined() + " examined");
    }
}
