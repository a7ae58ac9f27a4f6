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

/** Departments and their employees in three designs, and the link between two entities of a kind. */
public final class RelationshipsLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        List<Employee> employees = Employees.of("Marketing", run.of(60, 150));
        String same = run.table("Same");
        String departments = run.table("Departments");
        String apart = run.table("Apart");
        String single = run.table("Single");
        try (LabClient client = LabClient.open(run.endpoint())) {
            for (String table : List.of(same, departments, apart, single)) {
                client.createTable(table);
            }
            LabEntity department = LabEntity.of("Marketing", "department")
                    .with("DepartmentName", "Marketing")
                    .with("EmployeeCount", employees.size());
            client.load(same, employees.stream().map(Employee::entity).toList());
            client.write(same, LabWrite.insert(department));
            client.load(apart, employees.stream().map(Employee::entity).toList());
            client.write(departments, LabWrite.insert(department));
            client.load(
                    single,
                    employees.stream()
                            .map(each -> each.entity().with("DepartmentName", "Marketing"))
                            .toList());
            read(run, client, same, departments, apart, single);
            change(run, client, same, single, employees.size());
            hire(run, client, same, employees.size());
            move(run, client, same);
            oneToOne(run, client, apart);
        }
    }

    private static void read(LabRun run, LabClient client, String same, String departments, String apart, String single)
            throws IOException {
        CostTable costs = new CostTable(client);
        Cost both = costs.measure("same partition", () -> {
            client.get(same, "Marketing", "000007");
            client.get(same, "Marketing", "department");
        });
        Cost tables = costs.measure("two tables", () -> {
            client.get(apart, "Marketing", "000007");
            client.get(departments, "Marketing", "department");
        });
        Cost one = costs.measure("one type", () -> client.get(single, "Marketing", "000007"));
        costs.report(run, "An employee with his department", "round trips", Cost::roundTrips);
        run.claim(
                "one type answers in one round trip, two types in two",
                one.roundTrips() == 1 && both.roundTrips() == 2 && tables.roundTrips() == 2,
                one.roundTrips() + ", " + both.roundTrips() + ", " + tables.roundTrips());
    }

    private static void change(LabRun run, LabClient client, String same, String single, int employees)
            throws IOException {
        CostTable costs = new CostTable(client);
        List<LabEntity> all = new ArrayList<>();
        costs.measure(
                "two types",
                () -> client.write(
                        same,
                        LabWrite.merge(LabEntity.of("Marketing", "department").with("DepartmentName", "Brand"))));
        Cost many = costs.measure("one type", () -> {
            all.addAll(client.query(single, "PartitionKey eq 'Marketing'").entities());
            for (List<LabEntity> batch : LabClient.batches(all)) {
                client.transaction(
                        single,
                        batch.stream()
                                .map(each -> LabWrite.merge(each.with("DepartmentName", "Brand")))
                                .toList());
            }
        });
        costs.report(run, "A department gets another name", "bytes received", Cost::received);
        run.claim(
                "one type rewrites all employees, a hundred in each transaction",
                all.size() == employees && many.roundTrips() == 1 + (employees + 99) / 100,
                all.size() + " entities in " + many.roundTrips() + " round trips");
    }

    private static void hire(LabRun run, LabClient client, String same, int employees) throws IOException {
        LabEntity department = client.get(same, "Marketing", "department");
        LabEntity joiner = new Employee("Marketing", "009001", "Ada", "Quist", 41, "quista@contoso.com").entity();
        List<LabWrite> hire = List.of(
                LabWrite.insert(joiner),
                LabWrite.merge(department.with("EmployeeCount", department.number("EmployeeCount") + 1)));
        client.transaction(same, hire);
        int again = client.tryTransaction(same, hire).status();
        long count = client.get(same, "Marketing", "department").number("EmployeeCount");
        run.claim(
                "in one partition a new employee and the count are one transaction, which cannot happen twice",
                count == employees + 1 && again >= 400,
                "the count is " + count + ", the second was answered with " + again);
    }

    private static void move(LabRun run, LabClient client, String same) throws IOException {
        LabEntity employee = client.get(same, "Marketing", "000008");
        Answer refused = client.tryTransaction(
                same, List.of(LabWrite.delete(employee), LabWrite.insert(employee.at("Sales", "000008"))));
        run.claim(
                "a move to another department is no transaction",
                refused.status() == 400
                        && client.find(same, "Marketing", "000008").isPresent(),
                refused.status() + " " + refused.errorCode());
    }

    private static void oneToOne(LabRun run, LabClient client, String table) throws IOException {
        client.load(
                table,
                List.of(
                        LabEntity.of("Marketing", "000009_salary").with("Salary", 50_000),
                        LabEntity.of("Payroll", "P77")
                                .with("EmployeePartition", "Marketing")
                                .with("EmployeeRow", "000009")));
        LabEntity implicit = client.get(table, "Marketing", "000009_salary");
        LabEntity explicit = client.get(table, "Payroll", "P77");
        LabEntity linked = client.get(table, explicit.text("EmployeePartition"), explicit.text("EmployeeRow"));
        run.claim(
                "one to one: a link by convention needs no property, a link by properties may lead anywhere",
                implicit.number("Salary") == 50_000 && linked.row().equals("000009"),
                "found " + linked.row());
    }
}
