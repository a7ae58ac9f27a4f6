package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.data.Employee;
import cleave.chaos.lab.data.Employees;
import cleave.client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Reviews beside their employee, under the RowKey ID_YEAR. */
public final class CompoundKeyLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        List<Employee> employees = Employees.of("Sales", run.of(130, 500));
        String apart = run.table("Reviews");
        String table = run.table("Employees");
        try (LabClient client = LabClient.open(run.endpoint())) {
            List<LabEntity> together = new ArrayList<>();
            List<LabEntity> alone = new ArrayList<>();
            Random random = new Random(6);
            for (Employee employee : employees) {
                together.add(employee.at("Sales", "empid_" + employee.id()));
                for (int year = 2010; year <= 2013; year++) {
                    LabEntity review = review(employee, year, random);
                    together.add(review);
                    alone.add(review.at("Sales_" + year, employee.id()));
                }
            }
            client.createTable(table);
            client.load(table, together);
            client.createTable(apart);
            alone.sort((a, b) -> a.partition().compareTo(b.partition()));
            client.load(apart, alone);
            look(run, client, apart, table);
            review(run, client, table);
        }
    }

    private static LabEntity review(Employee employee, int year, Random random) {
        return LabEntity.of("Sales", String.format(Locale.ROOT, "empid_%s_%d", employee.id(), year))
                .with("ManagerRating", 1 + random.nextInt(5))
                .with("PeerRating", 1 + random.nextInt(5))
                .with("Comments", "Met the goals of " + year + ". ".repeat(1 + random.nextInt(3)))
                .with("Minutes", "The conversation of " + year + " took place in the manager's room. ".repeat(4));
    }

    private static void look(LabRun run, LabClient client, String apart, String table) throws IOException {
        String range = "(PartitionKey eq 'Sales') and (RowKey ge 'empid_000123') and (RowKey lt 'empid_000124')";
        CostTable costs = new CostTable(client);
        List<LabEntity> found = new ArrayList<>();
        Cost scan = costs.measure("a table of reviews by year", () -> client.query(apart, "RowKey eq '000123'"));
        Cost whole = costs.measure(
                "compound key", () -> found.addAll(client.query(table, range).entities()));
        Cost projected = costs.measure(
                "with $select", () -> client.query(table, range, "$select=RowKey,ManagerRating,PeerRating,Comments"));
        Cost empty = costs.measure(
                "the misprint",
                () -> client.query(
                        table,
                        "(PartitionKey eq 'Sales') and (RowKey ge 'empid_000123') and (RowKey lt '000123_2012')"));
        costs.report(run, "The reviews of employee 000123", "entities examined", Cost::examined);
        run.claim(
                "one range holds the employee and his four reviews, and examines no more than one entity beyond",
                found.size() == 5 && whole.examined() <= 6,
                found.size() + " found, " + whole.examined() + " examined");
        run.claim(
                "without the department and the year in the keys asked for, the whole table is examined",
                scan.examined() > 10 * whole.examined() && scan.returned() == 4,
                scan.examined() + " examined for " + scan.returned());
        run.claim(
                "a projection returns the same entities in fewer bytes, and examines as many",
                projected.returned() == whole.returned()
                        && projected.received() < whole.received() / 2
                        && projected.examined() == whole.examined(),
                Figures.of(projected.received()) + " instead of " + Figures.of(whole.received()) + " bytes");
        run.claim(
                "the misprinted interval is empty: nothing is examined",
                empty.examined() == 0 && empty.returned() == 0,
                empty.examined() + " examined");
    }

    private static void review(LabRun run, LabClient client, String table) throws IOException {
        LabEntity employee = client.get(table, "Sales", "empid_000123");
        LabEntity review = LabEntity.of("Sales", "empid_000123_2014").with("ManagerRating", 5);
        Answer done = client.tryTransaction(
                table, List.of(LabWrite.insert(review), LabWrite.merge(employee.with("LastRating", 5))));
        Answer twice = client.tryTransaction(
                table,
                List.of(
                        LabWrite.merge(employee.with("LastRating", 1).at("Sales", "empid_000123")),
                        LabWrite.insert(review)));
        long rating = client.get(table, "Sales", "empid_000123").number("LastRating");
        run.claim(
                "a review and the employee's rating change in one transaction, or not at all",
                done.isSuccess() && twice.status() == 409 && rating == 5,
                "the second answered " + twice.status() + ", the rating is " + rating);
        Answer blank = client.tryWrite(
                table, LabWrite.insert(LabEntity.of("Sales", "blank").with("Manager Rating", 5)));
        run.claim(
                "a property cannot be named Manager Rating",
                blank.status() == 400,
                blank.status() + " " + blank.errorCode());
    }
}
