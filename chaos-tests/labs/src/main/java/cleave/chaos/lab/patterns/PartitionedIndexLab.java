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

/** Two copies of each employee in two partitions: each index has a partition's throughput to itself, and no transaction holds both. */
public final class PartitionedIndexLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        List<Employee> employees = Employees.of("Sales", run.of(240, 1_000));
        String table = run.table("Employees");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(table);
            client.load(table, employees.stream().map(PartitionedIndexLab::byId).toList());
            client.load(
                    table,
                    employees.stream().map(PartitionedIndexLab::byAddress).toList());
            lookUp(run, client, table);
            withoutTransaction(run, client, table, employees.size());
            share(run, client, table);
        }
    }

    private static LabEntity byId(Employee employee) {
        return employee.at("empid_" + employee.department(), employee.id());
    }

    private static LabEntity byAddress(Employee employee) {
        return employee.at("email_" + employee.department(), employee.email())
                .without("Age")
                .with("EmployeeID", employee.id());
    }

    private static void lookUp(LabRun run, LabClient client, String table) throws IOException {
        CostTable costs = new CostTable(client);
        List<LabEntity> found = new ArrayList<>();
        Cost byId = costs.measure(
                "by id",
                () -> found.addAll(client.query(table, "(PartitionKey eq 'empid_Sales') and (RowKey eq '000223')")
                        .entities()));
        Cost byAddress = costs.measure(
                "by address",
                () -> found.addAll(
                        client.query(table, "(PartitionKey eq 'email_Sales') and (RowKey eq 'jonesj@contoso.com')")
                                .entities()));
        Cost ids = costs.measure(
                "ids 000100 to 000199",
                () -> found.addAll(client.query(
                                table,
                                "(PartitionKey eq 'empid_Sales') and (RowKey ge '000100') and (RowKey le '000199')")
                        .entities()));
        Cost letter = costs.measure(
                "addresses with a",
                () -> found.addAll(
                        client.query(table, "(PartitionKey eq 'email_Sales') and (RowKey ge 'a') and (RowKey lt 'b')")
                                .entities()));
        costs.report(run, "The guide's four queries", "entities examined", Cost::examined);
        run.claim(
                "both point queries examine one entity",
                byId.examined() == 1 && byAddress.examined() == 1,
                byId.examined() + " and " + byAddress.examined());
        run.claim(
                "both ranges examine what they return, at most one entity more",
                ids.returned() == 100
                        && ids.examined() <= 101
                        && letter.returned() > 0
                        && letter.examined() <= letter.returned() + 1,
                ids.examined() + " for " + ids.returned() + ", " + letter.examined() + " for " + letter.returned());
    }

    private static void withoutTransaction(LabRun run, LabClient client, String table, int employees)
            throws IOException {
        Employee joiner = new Employee("Sales", Employees.id(employees + 1), "Ada", "Quist", 41, "quista@contoso.com");
        int status = client.tryTransaction(
                        table, List.of(LabWrite.insert(byId(joiner)), LabWrite.insert(byAddress(joiner))))
                .status();
        boolean none = client.find(table, "empid_Sales", joiner.id()).isEmpty()
                && client.find(table, "email_Sales", joiner.email()).isEmpty();
        run.claim(
                "a transaction over both partitions is refused, and writes neither copy",
                status == 400 && none,
                "status " + status);
        client.write(table, LabWrite.upsert(byId(joiner)));
        boolean isHalf = client.find(table, "empid_Sales", joiner.id()).isPresent()
                && client.find(table, "email_Sales", joiner.email()).isEmpty();
        client.write(table, LabWrite.upsert(byAddress(joiner)));
        boolean isWhole = client.find(table, "email_Sales", joiner.email()).isPresent();
        run.claim(
                "between the two writes a reader sees the employee by id and not by address; after the second, by both",
                isHalf && isWhole,
                "half " + isHalf + ", whole " + isWhole);
    }

    private static void share(LabRun run, LabClient client, String table) throws IOException {
        double together = client.query(table, "").size();
        double byId = client.query(table, "PartitionKey eq 'empid_Sales'").size();
        run.draw(Chart.bars(
                "Entities in the largest partition",
                "entities",
                "design",
                List.of("both indexes in Sales", "a partition for each"),
                List.of(Chart.values("entities", List.of(together, byId)))));
        run.claim(
                "each partition holds half of the copies, and takes the writes of its index alone",
                2 * byId == together,
                Figures.of((long) byId) + " of " + Figures.of((long) together));
    }
}
