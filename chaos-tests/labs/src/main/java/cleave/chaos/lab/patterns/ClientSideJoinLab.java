package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.lab.data.Employee;
import cleave.chaos.lab.data.Employees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Employees joined with their departments by the client: a request each time, or once for all. */
public final class ClientSideJoinLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        int perDepartment = run.of(10, 25);
        String employees = run.table("Employees");
        String departments = run.table("Departments");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(employees);
            client.createTable(departments);
            for (String department : Employees.DEPARTMENTS) {
                client.load(
                        employees,
                        Employees.of(department, perDepartment).stream()
                                .map(Employee::entity)
                                .toList());
                client.write(
                        departments,
                        LabWrite.insert(LabEntity.of("departments", department)
                                .with("Building", "Building " + department.charAt(0))));
            }
            join(run, client, employees, departments, perDepartment * Employees.DEPARTMENTS.size());
            stale(run, client, departments);
        }
    }

    private static void join(LabRun run, LabClient client, String employees, String departments, int count)
            throws IOException {
        CostTable costs = new CostTable(client);
        List<String> asked = new ArrayList<>();
        List<String> remembered = new ArrayList<>();
        List<String> later = new ArrayList<>();
        Map<String, String> memory = new HashMap<>();
        Cost each = costs.measure("ask for each", () -> {
            for (LabEntity employee : client.query(employees, "").entities()) {
                asked.add(employee.row()
                        + client.get(departments, "departments", employee.partition())
                                .text("Building"));
            }
        });
        Cost first = costs.measure("first page from memory", () -> {
            client.query(departments, "PartitionKey eq 'departments'")
                    .entities()
                    .forEach(d -> memory.put(d.row(), d.text("Building")));
            client.query(employees, "").entities().forEach(e -> remembered.add(e.row() + memory.get(e.partition())));
        });
        Cost next = costs.measure(
                "later pages",
                () -> client.query(employees, "")
                        .entities()
                        .forEach(e -> later.add(e.row() + memory.get(e.partition()))));
        costs.report(run, count + " employees with their buildings", "round trips", Cost::roundTrips);
        run.claim(
                "all ways give the same page",
                asked.size() == count && asked.equals(remembered) && asked.equals(later),
                asked.size() + " lines");
        run.claim(
                "a request for each employee, or two for the first page and one for each later one",
                each.roundTrips() == count + 1L && first.roundTrips() == 2 && next.roundTrips() == 1,
                each.roundTrips() + ", " + first.roundTrips() + ", " + next.roundTrips());
    }

    private static void stale(LabRun run, LabClient client, String departments) throws IOException {
        LabEntity remembered = client.get(departments, "departments", "Sales");
        client.write(
                departments, LabWrite.merge(LabEntity.of("departments", "Sales").with("Building", "Tower")));
        LabEntity now = client.get(departments, "departments", "Sales");
        boolean differs = !remembered.etag().equals(now.etag())
                && !remembered.text("Building").equals(now.text("Building"));
        run.claim(
                "what is in memory grows old: after a change the ETag says so, and nothing else does",
                differs
                        && client.tryWrite(departments, LabWrite.merge(remembered))
                                        .status()
                                == 412,
                "the memory says " + remembered.text("Building") + ", the table " + now.text("Building"));
    }
}
