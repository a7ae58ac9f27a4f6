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
import java.util.Map;
import java.util.TreeMap;

/** Employees, customers and departments in one table, told apart by the RowKey or by a property. */
public final class SeveralTypesLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        int employees = run.of(60, 150);
        int customers = 50;
        String byPrefix = run.table("Prefix");
        String byProperty = run.table("Property");
        List<LabEntity> people = new ArrayList<>();
        people.add(LabEntity.of("Sales", "DEPARTMENT_SALES")
                .with("EntityType", "Department")
                .with("DepartmentName", "Sales")
                .with("EmployeeCount", employees));
        for (int i = 1; i <= employees; i++) {
            people.add(person("EMPLOYEE_", i).with("EntityType", "Employee").with("Age", 20 + i % 45));
        }
        for (int i = 1; i <= customers; i++) {
            people.add(person("CUSTOMER_", i)
                    .with("EntityType", "Customer")
                    .with("Age", "over 18")
                    .with("Discount", i % 10));
        }
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(byPrefix);
            client.load(
                    byPrefix,
                    people.stream().map(each -> each.without("EntityType")).toList());
            client.createTable(byProperty);
            client.load(byProperty, numbered(people));
            list(run, client, byPrefix, byProperty, employees, people.size());
            resolve(run, client, byProperty);
            modify(run, client, byProperty);
        }
    }

    private static LabEntity person(String prefix, int number) {
        return LabEntity.of("Sales", String.format(Locale.ROOT, "%s%06d", prefix, number))
                .with("LastName", "Name " + number);
    }

    /** Under ids that say nothing of the type. */
    private static List<LabEntity> numbered(List<LabEntity> people) {
        List<LabEntity> numbered = new ArrayList<>();
        for (LabEntity each : people) {
            numbered.add(each.at("Sales", String.format(Locale.ROOT, "%06d", numbered.size())));
        }
        return numbered;
    }

    private static void list(LabRun run, LabClient client, String byPrefix, String byProperty, int employees, int all)
            throws IOException {
        CostTable costs = new CostTable(client);
        Cost range = costs.measure(
                "prefix of RowKey",
                () -> client.query(
                        byPrefix, "PartitionKey eq 'Sales' and RowKey ge 'EMPLOYEE_' and RowKey lt 'EMPLOYEE`'"));
        Cost scan = costs.measure(
                "property EntityType",
                () -> client.query(byProperty, "PartitionKey eq 'Sales' and EntityType eq 'Employee'"));
        costs.report(run, "All employees of a mixed partition", "entities examined", Cost::examined);
        run.claim(
                "both find all employees; the prefix examines them alone, the property examines the partition",
                range.returned() == employees
                        && scan.returned() == employees
                        && range.examined() <= employees + 1
                        && scan.examined() == all,
                range.examined() + " and " + scan.examined() + " examined");
    }

    /** What an entity resolver does: looks at the type, and makes what belongs to it. */
    private static void resolve(LabRun run, LabClient client, String table) throws IOException {
        TreeMap<String, Integer> types = new TreeMap<>();
        for (LabEntity each : client.query(table, "PartitionKey eq 'Sales'").entities()) {
            boolean fits = switch (each.text("EntityType")) {
                case "Department" -> each.has("EmployeeCount");
                case "Employee" -> each.number("Age") > 0 && !each.has("Discount");
                case "Customer" -> each.text("Age").equals("over 18") && each.has("Discount");
                default -> false;
            };
            types.merge(fits ? each.text("EntityType") : "unknown", 1, Integer::sum);
        }
        run.claim(
                "one query returns three types, and each entity says which; Age is a number in one and a string in"
                        + " another",
                types.size() == 3 && !types.containsKey("unknown"),
                types.toString());
    }

    private static void modify(LabRun run, LabClient client, String table) throws IOException {
        LabEntity read = client.get(table, "Sales", "000000");
        LabEntity count = new LabEntity("Sales", "000000", Map.of(), read.etag());
        client.write(table, LabWrite.merge(count.with("EmployeeCount", read.number("EmployeeCount") + 1)));
        LabEntity after = client.get(table, "Sales", "000000");
        run.claim(
                "a program that knows EmployeeCount alone adds 1 to it, and the rest stays",
                after.number("EmployeeCount") == read.number("EmployeeCount") + 1
                        && "Sales".equals(after.properties().get("DepartmentName")),
                after.properties().toString());
        boolean hasNone = !client.get(table, "Sales", "000001").has("EmployeeCount");
        Answer late = client.tryWrite(table, LabWrite.merge(count.with("EmployeeCount", 0)));
        run.claim(
                "it finds no EmployeeCount in an employee, and the ETag that it has used is spent",
                hasNone && late.status() == 412,
                "status " + late.status());
    }
}
