package cleave.chaos.lab.patterns;

import cleave.chaos.lab.BlobStore;
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
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A photo beside the table, in a blob service or a folder. */
public final class LargeEntitiesLab implements Experiment {
    private static final int MIB = 1 << 20;

    @Override
    public void run(LabRun run) throws IOException {
        String table = run.table("Employees");
        BlobStore blobs = run.blobs();
        run.say("Photos are blobs in " + blobs.kind() + ".");
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(table);
            limits(run, client, table);
            List<Employee> employees = Employees.of("Marketing", run.of(10, 50));
            photos(run, client, table, blobs, employees);
            death(run, client, table, blobs, employees.get(0));
        }
    }

    private static byte[] photo(int bytes) {
        byte[] photo = new byte[bytes];
        new Random(bytes).nextBytes(photo);
        return photo;
    }

    private static void limits(LabRun run, LabClient client, String table) throws IOException {
        Answer property = client.tryWrite(
                table, LabWrite.insert(LabEntity.of("limit", "1").with("Photo", photo(MIB / 8))));
        LabEntity large = LabEntity.of("limit", "2");
        for (int part = 0; part < 17; part++) {
            large = large.with("Photo" + part, photo(MIB / 16));
        }
        Answer entity = client.tryWrite(table, LabWrite.insert(large));
        run.claim(
                "a binary property of 128 KiB is refused, and so is an entity of more than 1 MiB in parts of 64 KiB",
                property.status() >= 400 && entity.status() >= 400,
                property.status() + " " + property.errorCode() + ", " + entity.status() + " " + entity.errorCode());
    }

    private static void photos(LabRun run, LabClient client, String table, BlobStore blobs, List<Employee> employees)
            throws IOException {
        List<LabEntity> inline = new ArrayList<>();
        List<LabEntity> linked = new ArrayList<>();
        for (Employee employee : employees) {
            byte[] photo = photo(32 << 10);
            String name = employee.id() + "_1.jpg";
            blobs.put(name, photo);
            inline.add(employee.at("inline", employee.id()).with("Photo", photo));
            linked.add(employee.at("linked", employee.id()).with("Photo", name));
        }
        client.load(table, inline);
        client.load(table, linked);
        CostTable costs = new CostTable(client);
        Cost within = costs.measure("photos inside", () -> client.query(table, "PartitionKey eq 'inline'"));
        Cost beside = costs.measure("photos beside", () -> client.query(table, "PartitionKey eq 'linked'"));
        costs.report(
                run,
                "A list of " + employees.size() + " employees with small photos",
                "bytes received",
                Cost::received);
        run.claim(
                "a list of employees without their photos is less than a hundredth of the bytes",
                beside.received() * 100 < within.received(),
                Figures.of(beside.received()) + " instead of " + Figures.of(within.received()) + " bytes");
        byte[] large = photo(2 * MIB);
        String name = employees.get(0).id() + "_2.jpg";
        blobs.put(name, large);
        client.write(
                table,
                LabWrite.merge(LabEntity.of("linked", employees.get(0).id()).with("Photo", name)));
        blobs.delete(employees.get(0).id() + "_1.jpg");
        byte[] read =
                blobs.get(client.get(table, "linked", employees.get(0).id()).text("Photo"));
        run.claim(
                "a photo of 2 MiB is read by a point query and its blob",
                Arrays.equals(read, large),
                Figures.of(read.length) + " bytes");
    }

    private static void death(LabRun run, LabClient client, String table, BlobStore blobs, Employee employee)
            throws IOException {
        blobs.put(employee.id() + "_3.jpg", photo(1_000)); // And here the worker dies: the entity has _2 still.
        String named = client.get(table, "linked", employee.id()).text("Photo");
        List<String> known = client.query(table, "PartitionKey eq 'linked'", "$select=Photo").entities().stream()
                .map(each -> each.text("Photo"))
                .toList();
        List<String> stored = blobs.names("");
        List<String> garbage =
                stored.stream().filter(name -> !known.contains(name)).toList();
        run.claim(
                "a worker that dies after the photo leaves garbage, which a sweep finds, and no address that leads"
                        + " nowhere",
                stored.contains(named) && garbage.equals(List.of(employee.id() + "_3.jpg")),
                "garbage " + garbage);
    }
}
