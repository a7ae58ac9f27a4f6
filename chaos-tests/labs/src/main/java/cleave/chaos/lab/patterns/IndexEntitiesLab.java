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
import cleave.client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** An entity for each last name lists the ids, and changes with the employees in one transaction under its ETag. */
public final class IndexEntitiesLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        List<Employee> employees = new ArrayList<>(Employees.of("Sales", run.of(230, 1_000)));
        employees.removeIf(each -> each.id().equals("000152"));
        String table = run.table("Employees");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(table);
            client.load(table, employees.stream().map(Employee::entity).toList());
            client.load(table, lists(employees));
            lookUp(run, client, table, employees);
            add(run, client, table);
            rename(run, client, table);
            contend(run, client, table);
        }
    }

    private static List<LabEntity> lists(List<Employee> employees) {
        TreeMap<String, List<String>> ids = new TreeMap<>();
        employees.forEach(each ->
                ids.computeIfAbsent(each.lastName(), name -> new ArrayList<>()).add(each.id()));
        return ids.entrySet().stream()
                .map(each ->
                        LabEntity.of("Sales", each.getKey()).with("EmployeeIDs", String.join(",", each.getValue())))
                .toList();
    }

    private static List<String> ids(LabEntity list) {
        return Arrays.stream(list.text("EmployeeIDs").split(","))
                .filter(id -> !id.isEmpty())
                .toList();
    }

    private static LabEntity added(LabEntity list, String id) {
        List<String> ids = new ArrayList<>(ids(list));
        ids.add(id);
        return list.with("EmployeeIDs", String.join(",", ids));
    }

    private static LabEntity removed(LabEntity list, String id) {
        return list.with(
                "EmployeeIDs",
                String.join(
                        ",", ids(list).stream().filter(each -> !each.equals(id)).toList()));
    }

    private static void lookUp(LabRun run, LabClient client, String table, List<Employee> employees)
            throws IOException {
        CostTable costs = new CostTable(client);
        List<LabEntity> scanned = new ArrayList<>();
        List<LabEntity> found = new ArrayList<>();
        Cost scan = costs.measure(
                "partition scan",
                () -> scanned.addAll(client.query(table, "PartitionKey eq 'Sales' and LastName eq 'Jones'")
                        .entities()));
        Cost index = costs.measure("index entity", () -> {
            for (String id : ids(client.get(table, "Sales", "Jones"))) {
                found.add(client.get(table, "Sales", id));
            }
        });
        costs.report(run, "All employees named Jones", "entities examined", Cost::examined);
        run.claim(
                "both find the same employees",
                !found.isEmpty() && rows(scanned).equals(rows(found)),
                scanned.size() + " and " + found.size());
        run.claim(
                "the scan examines the whole partition in one round trip or few; the index examines itself and what it"
                        + " lists, at a round trip each",
                scan.examined() > employees.size()
                        && index.examined() == found.size() + 1L
                        && index.roundTrips() == found.size() + 1L
                        && scan.roundTrips() < index.roundTrips(),
                scan.examined() + " examined in " + scan.roundTrips() + ", " + index.examined() + " in "
                        + index.roundTrips());
    }

    private static List<String> rows(List<LabEntity> entities) {
        return entities.stream().map(LabEntity::row).sorted().toList();
    }

    private static LabEntity jones(String id) {
        return new Employee("Sales", id, "Ada", "Jones", 33, "jones" + id + "@contoso.com").entity();
    }

    private static Answer tryAdd(LabClient client, String table, LabEntity list, String id) throws IOException {
        return client.tryTransaction(table, List.of(LabWrite.insert(jones(id)), LabWrite.replace(added(list, id))));
    }

    private static void add(LabRun run, LabClient client, String table) throws IOException {
        LabEntity mine = client.get(table, "Sales", "Jones");
        LabEntity theirs = client.get(table, "Sales", "Jones");
        Answer first = tryAdd(client, table, theirs, "009001");
        Answer late = tryAdd(client, table, mine, "000152");
        boolean nothing = client.find(table, "Sales", "000152").isEmpty();
        Answer anew = tryAdd(client, table, client.get(table, "Sales", "Jones"), "000152");
        List<String> ids = ids(client.get(table, "Sales", "Jones"));
        run.claim(
                "the slower of two gets 412, and its employee is not inserted either",
                first.isSuccess() && late.status() == 412 && nothing,
                late.status() + " " + late.errorCode());
        run.claim(
                "it begins anew with a fresh ETag, and then both ids are listed",
                anew.isSuccess() && ids.contains("000152") && ids.contains("009001"),
                ids.size() + " ids");
    }

    private static void rename(LabRun run, LabClient client, String table) throws IOException {
        LabEntity employee = client.get(table, "Sales", "000152");
        LabEntity from = client.get(table, "Sales", "Jones");
        LabEntity to = client.get(table, "Sales", "Smith");
        client.transaction(
                table,
                List.of(
                        LabWrite.replace(employee.with("LastName", "Smith")),
                        LabWrite.replace(removed(from, "000152")),
                        LabWrite.replace(added(to, "000152"))));
        boolean moved = !ids(client.get(table, "Sales", "Jones")).contains("000152")
                && ids(client.get(table, "Sales", "Smith")).contains("000152");
        run.claim(
                "a new name is one transaction on three entities: the employee and both lists",
                moved,
                "moved " + moved);
    }

    /** Rounds in which all that are left read before anyone writes: the worst case, without threads or chance. */
    private static void contend(LabRun run, LabClient client, String table) throws IOException {
        List<Double> x = List.of(1.0, 2.0, 5.0, 10.0);
        List<Double> sent = new ArrayList<>();
        int next = 9_100;
        for (double programs : x) {
            List<String> waiting = new ArrayList<>();
            for (int i = 0; i < programs; i++) {
                waiting.add(Employees.id(next++));
            }
            int tries = 0;
            while (!waiting.isEmpty()) {
                LabEntity read = client.get(table, "Sales", "Jones");
                List<String> refused = new ArrayList<>();
                for (String id : waiting) {
                    tries++;
                    if (!tryAdd(client, table, read, id).isSuccess()) {
                        refused.add(id);
                    }
                }
                waiting = refused;
            }
            sent.add((double) tries);
        }
        run.draw(Chart.lines(
                "Transactions until all have added their employee",
                "transactions",
                "programs at once",
                List.of(
                        new Chart.Series("one index entity", x, sent),
                        new Chart.Series("an index entity each", x, x))));
        run.claim(
                "n programs on one index entity send n(n+1)/2 transactions in the worst case",
                sent.equals(List.of(1.0, 3.0, 15.0, 55.0)),
                sent.toString());
    }
}
