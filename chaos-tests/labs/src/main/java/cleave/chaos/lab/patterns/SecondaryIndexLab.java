package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.QueryResult;
import cleave.chaos.lab.data.Employee;
import cleave.chaos.lab.data.Employees;
import cleave.client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Two copies of each employee in one partition, by id and by address, always in one transaction. */
public final class SecondaryIndexLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        List<Employee> employees = Employees.of("Sales", run.of(240, 1_000));
        String plain = run.table("Plain");
        String indexed = run.table("Indexed");
        try (LabClient client = LabClient.open(run.endpoint())) {
            List<LabEntity> once = employees.stream().map(Employee::entity).toList();
            List<LabEntity> twice = new ArrayList<>();
            employees.forEach(each -> twice.addAll(copies(each)));
            client.createTable(plain);
            client.load(plain, once);
            client.createTable(indexed);
            client.load(indexed, twice);
            run.progress("loaded " + employees.size() + " employees twice");
            lookUp(run, client, plain, indexed, employees.size());
            ranges(run, client, indexed);
            atomicity(run, client, indexed, employees.size());
            storage(run, once, twice);
        }
    }

    private static List<LabEntity> copies(Employee employee) {
        return List.of(
                employee.at(employee.department(), "empid_" + employee.id()),
                employee.at(employee.department(), "email_" + employee.email())
                        .without("Age")
                        .with("EmployeeID", employee.id()));
    }

    private static void lookUp(LabRun run, LabClient client, String plain, String indexed, int employees)
            throws IOException {
        CostTable costs = new CostTable(client);
        List<LabEntity> scanned = new ArrayList<>();
        List<LabEntity> found = new ArrayList<>();
        Cost scan = costs.measure(
                "address, scan",
                () -> scanned.addAll(
                        client.query(plain, "PartitionKey eq 'Sales' and EmailAddress eq 'jonesj@contoso.com'")
                                .entities()));
        Cost byId = costs.measure(
                "id, index",
                () -> found.addAll(client.query(indexed, "(PartitionKey eq 'Sales') and (RowKey eq 'empid_000223')")
                        .entities()));
        Cost byAddress = costs.measure(
                "address, index",
                () -> found.addAll(
                        client.query(indexed, "(PartitionKey eq 'Sales') and (RowKey eq 'email_jonesj@contoso.com')")
                                .entities()));
        costs.report(run, "One employee of " + Figures.of(employees), "entities examined", Cost::examined);
        run.claim(
                "without the index, the address is found by examining the whole partition",
                scan.examined() == employees && scanned.size() == 1,
                scan.examined() + " examined for " + scanned.size());
        run.claim(
                "with it, both the id and the address are a point query that examines one entity",
                byId.examined() == 1 && byAddress.examined() == 1,
                byId.examined() + " and " + byAddress.examined() + " examined");
        run.claim(
                "both copies are of the same employee",
                found.size() == 2
                        && found.get(1).text("EmployeeID").equals("000223")
                        && found.get(0).text("LastName").equals("Jones"),
                found.size() + " found");
    }

    private static void ranges(LabRun run, LabClient client, String indexed) throws IOException {
        QueryResult byId = client.query(
                indexed, "(PartitionKey eq 'Sales') and (RowKey ge 'empid_000100') and (RowKey le 'empid_000199')");
        QueryResult byAddress =
                client.query(indexed, "(PartitionKey eq 'Sales') and (RowKey ge 'email_a') and (RowKey lt 'email_b')");
        List<String> ids = byId.rowKeys();
        List<String> addresses = byAddress.rowKeys();
        run.claim(
                "the ids from 000100 to 000199 are one range, in the order of ids, and nothing else is examined",
                ids.size() == 100
                        && ids.stream().sorted().toList().equals(ids)
                        && byId.cost().examined() <= 101,
                ids.size() + " returned, " + byId.cost().examined() + " examined");
        run.claim(
                "the addresses that begin with a are another, in the order of addresses",
                !addresses.isEmpty()
                        && addresses.stream().sorted().toList().equals(addresses)
                        && byAddress.cost().examined() <= addresses.size() + 1,
                addresses.size() + " returned, " + byAddress.cost().examined() + " examined");
    }

    private static void atomicity(LabRun run, LabClient client, String indexed, int employees) throws IOException {
        Employee twin = new Employee("Sales", Employees.id(employees + 1), "Jo", "Jones", 30, "jonesj@contoso.com");
        Answer refused = client.tryTransaction(
                indexed, copies(twin).stream().map(LabWrite::insert).toList());
        boolean isThere = client.find(indexed, "Sales", "empid_" + twin.id()).isPresent();
        run.claim(
                "an address that is taken refuses the whole transaction: the copy by id is not there either",
                refused.status() == 409 && !isThere,
                refused.status() + " " + refused.errorCode());
    }

    private static void storage(LabRun run, List<LabEntity> once, List<LabEntity> twice) {
        long before = once.stream().mapToLong(LabEntity::storedBytes).sum();
        long after = twice.stream().mapToLong(LabEntity::storedBytes).sum();
        run.say("The index costs storage: " + Figures.of(after) + " bytes instead of " + Figures.of(before) + ".");
        run.claim(
                "it costs less than two and a half times the storage",
                after < before * 5 / 2,
                Figures.of(after * 100 / before) + " %");
    }
}
