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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Properties that only the client can read, and why a merge destroys them. */
public final class ClientSideEncryptionLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        byte[] userKey = new byte[32];
        new Random(3).nextBytes(userKey); // A lab's key: everyone knows it.
        PropertyCipher cipher = new PropertyCipher(
                userKey, (partition, row, property) -> property.equals("EmailAddress") || property.equals("LastName"));
        List<Employee> employees = Employees.of("Sales", run.of(30, 200));
        String plain = run.table("Plain");
        String secret = run.table("Secret");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(plain);
            client.load(plain, employees.stream().map(Employee::entity).toList());
            client.createTable(secret);
            client.load(
                    secret,
                    employees.stream()
                            .map(Employee::entity)
                            .map(cipher::encrypted)
                            .toList());
            roundTrip(run, client, secret, cipher, employees.get(0));
            filters(run, client, plain, secret, employees.get(0));
            merge(run, client, secret, cipher, employees.get(1));
            wrongUser(run, client, secret, employees.get(0));
        }
    }

    private static void roundTrip(LabRun run, LabClient client, String secret, PropertyCipher cipher, Employee employee)
            throws IOException {
        LabEntity stored = client.get(secret, "Sales", employee.id());
        byte[] bytes = stored.bytes("EmailAddress");
        boolean isHidden = !new String(bytes, StandardCharsets.UTF_8).contains("contoso")
                && bytes.length % 16 == 0
                && stored.text("FirstName").equals(employee.firstName());
        LabEntity read = cipher.decrypted(stored);
        run.claim(
                "stored are binary values; what the resolver does not name stays readable",
                isHidden,
                bytes.length + " bytes");
        run.claim(
                "the client reads what it wrote",
                read.text("EmailAddress").equals(employee.email())
                        && read.text("LastName").equals(employee.lastName()),
                read.text("EmailAddress"));
        LabEntity changed = cipher.encrypted(read.with("LastName", "Smith"));
        client.write(secret, LabWrite.replace(changed.at("Sales", employee.id())));
        LabEntity replaced = cipher.decrypted(client.get(secret, "Sales", employee.id()));
        run.claim(
                "a replace sends all properties under a new content key, and all can be read",
                replaced.text("LastName").equals("Smith")
                        && replaced.text("EmailAddress").equals(employee.email()),
                replaced.text("LastName"));
    }

    private static void filters(LabRun run, LabClient client, String plain, String secret, Employee employee)
            throws IOException {
        String filter = "PartitionKey eq 'Sales' and EmailAddress eq '" + employee.email() + "'";
        CostTable costs = new CostTable(client);
        Cost open = costs.measure("plain, by address", () -> client.query(plain, filter));
        Cost closed = costs.measure("encrypted, by address", () -> client.query(secret, filter));
        List<LabEntity> all = new ArrayList<>();
        costs.measure("plain, all", () -> client.query(plain, "PartitionKey eq 'Sales'"));
        Cost whole = costs.measure(
                "encrypted, all",
                () -> all.addAll(client.query(secret, "PartitionKey eq 'Sales'").entities()));
        costs.report(run, "Queries on what is encrypted", "bytes received", Cost::received);
        run.claim(
                "a filter on an encrypted property finds nothing: the client has to read all, and look for itself",
                open.returned() == 1 && closed.returned() == 0 && whole.returned() == all.size(),
                open.returned() + " and " + closed.returned());
    }

    private static void merge(LabRun run, LabClient client, String secret, PropertyCipher cipher, Employee employee)
            throws IOException {
        LabEntity part = cipher.encrypted(LabEntity.of("Sales", employee.id()).with("LastName", "Smith"));
        client.write(secret, LabWrite.merge(part));
        LabEntity stored = client.get(secret, "Sales", employee.id());
        boolean mergedIsReadable = cipher.decrypted(stored.without("EmailAddress"))
                .text("LastName")
                .equals("Smith");
        run.claim("after a merge the merged property can be read", mergedIsReadable, "read");
        run.claim(
                "the property that the merge left alone is lost: its content key is overwritten",
                !isReadable(cipher, stored, employee.email()),
                "address lost");
    }

    private static void wrongUser(LabRun run, LabClient client, String secret, Employee employee) throws IOException {
        byte[] other = new byte[32];
        Arrays.fill(other, (byte) 1);
        PropertyCipher stranger =
                new PropertyCipher(other, (partition, row, property) -> property.equals("EmailAddress"));
        run.claim(
                "with another key, nothing is read",
                !isReadable(stranger, client.get(secret, "Sales", employee.id()), employee.email()),
                "refused");
    }

    private static boolean isReadable(PropertyCipher cipher, LabEntity stored, String email) {
        try {
            return cipher.decrypted(stored).text("EmailAddress").equals(email);
        } catch (IllegalArgumentException wrongKey) {
            return false;
        }
    }
}
