package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.data.Employee;
import cleave.chaos.lab.data.Employees;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A department with its manager's details inside: one point query instead of two, for a few bytes and one more write a change. */
public final class DenormalizationLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        int views = run.of(50, 1_000);
        String table = run.table("Departments");
        Employee manager = Employees.of("Sales", 230).get(222);
        LabEntity department = LabEntity.of("Sales", "department")
                .with("DepartmentName", "Sales")
                .with("EmployeeCount", 153)
                .with("ManagerID", manager.id());
        LabEntity denormalized = LabEntity.of("Sales", "department_with_manager")
                .with("DepartmentName", "Sales")
                .with("EmployeeCount", 153)
                .with("ManagerID", manager.id())
                .with("ManagerName", manager.firstName() + " " + manager.lastName())
                .with("ManagerEmail", manager.email());
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(table);
            client.load(table, List.of(manager.entity(), department, denormalized));
            views(run, client, table, views);
            change(run, client, table);
        }
        long more = denormalized.storedBytes() - department.storedBytes();
        run.say("The copy takes " + more + " bytes more.");
        breakEven(run);
    }

    private static void views(LabRun run, LabClient client, String table, int views) throws IOException {
        CostTable costs = new CostTable(client);
        List<String> seen = new ArrayList<>();
        Cost apart = costs.measure("apart", () -> {
            for (int i = 0; i < views; i++) {
                LabEntity department = client.get(table, "Sales", "department");
                seen.add(
                        client.get(table, "Sales", department.text("ManagerID")).text("EmailAddress"));
            }
        });
        Cost together = costs.measure("together", () -> {
            for (int i = 0; i < views; i++) {
                seen.add(client.get(table, "Sales", "department_with_manager").text("ManagerEmail"));
            }
        });
        costs.report(run, Figures.of(views) + " views of a department", "round trips", Cost::roundTrips);
        run.claim("both show the same address", seen.stream().distinct().count() == 1, seen.get(0));
        run.claim(
                "apart, each view takes two round trips; together, one",
                apart.roundTrips() == 2L * views && together.roundTrips() == views,
                apart.roundTrips() + " and " + together.roundTrips());
    }

    private static void change(LabRun run, LabClient client, String table) throws IOException {
        LabEntity manager = client.get(table, "Sales", "000223");
        LabEntity department = client.get(table, "Sales", "department_with_manager");
        long before = client.roundTrips();
        client.transaction(
                table,
                List.of(
                        LabWrite.replace(manager.with("EmailAddress", "jun@contoso.com")),
                        LabWrite.replace(department.with("ManagerEmail", "jun@contoso.com"))));
        long trips = client.roundTrips() - before;
        boolean same = client.get(table, "Sales", "000223")
                .text("EmailAddress")
                .equals(client.get(table, "Sales", "department_with_manager").text("ManagerEmail"));
        run.claim(
                "a change of both copies is one transaction, one round trip",
                trips == 1 && same,
                trips + " round trip");
    }

    /** Round trips by the share of changes, as counted above: two a view apart, one together; two a change apart, three together. */
    private static void breakEven(LabRun run) {
        List<Double> x = List.of(0.0, 20.0, 40.0, 50.0, 60.0, 80.0, 100.0);
        List<Double> apart =
                x.stream().map(percent -> 2 * (100 - percent) + 2 * percent).toList();
        List<Double> together =
                x.stream().map(percent -> (100 - percent) + 3 * percent).toList();
        run.draw(Chart.lines(
                "Round trips of 100 uses, by the share of changes",
                "round trips",
                "changes, in per cent",
                List.of(new Chart.Series("apart", x, apart), new Chart.Series("together", x, together))));
        run.say("A change apart reads and replaces one entity: two round trips. Together it reads both and sends a"
                + " transaction: three. So the copy saves round trips as long as less than half of all uses are"
                + " changes.");
    }
}
