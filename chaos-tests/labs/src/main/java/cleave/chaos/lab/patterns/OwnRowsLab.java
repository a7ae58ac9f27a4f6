package cleave.chaos.lab.patterns;

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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Users with a shared access signature each, for their own partition alone. */
public final class OwnRowsLab implements Experiment {
    @Override
    public void run(LabRun run) throws IOException {
        int users = run.of(10, 40);
        String table = run.table("UserData");
        Instant expiry = Instant.now().plus(Duration.ofHours(1));
        try (LabClient client = LabClient.open(run.endpoint())) {
            client.createTable(table);
            List<Employee> employees = Employees.of("Sales", users);
            for (Employee each : employees) {
                client.load(table, List.of(each.at("user_" + each.id(), "a"), each.at("user_" + each.id(), "b")));
            }
            String mine = "user_" + employees.get(3).id();
            String other = "user_" + employees.get(4).id();
            String sas = TableSignature.of(run.endpoint().sharedKey(), table, "rau", expiry, mine, mine);
            try (LabClient phone = LabClient.open(run.endpoint(), sas)) {
                own(run, phone, table, mine, other);
            }
            forged(run, sas, table, mine, other);
            expired(run, table, mine);
            work(run, client, table, users);
        }
    }

    private static void own(LabRun run, LabClient phone, String table, String mine, String other) throws IOException {
        List<LabEntity> all = phone.query(table, "").entities();
        run.claim(
                "a query for everything returns the user's own two entities",
                all.size() == 2
                        && all.stream().allMatch(each -> each.partition().equals(mine)),
                all.size() + " entities");
        int foreign =
                phone.ask(table + "(PartitionKey='" + other + "',RowKey='a')").status();
        Answer written =
                phone.tryWrite(table, LabWrite.insert(LabEntity.of(mine, "c").with("Note", "mine")));
        Answer intruding =
                phone.tryWrite(table, LabWrite.insert(LabEntity.of(other, "c").with("Note", "yours")));
        Answer deleted = phone.tryWrite(table, LabWrite.delete(LabEntity.of(mine, "a")));
        run.claim("own entities can be written", written.isSuccess(), "status " + written.status());
        run.claim(
                "those of another user can be neither read nor written",
                (foreign == 404 || foreign == 403) && intruding.status() == 403, // 404: not even whether it is there.
                "reading was answered with " + foreign + ", writing with " + intruding.status() + " "
                        + intruding.errorCode());
        run.claim(
                "without the right to delete, own entities cannot be deleted",
                deleted.status() == 403,
                "status " + deleted.status());
    }

    private static void forged(LabRun run, String sas, String table, String mine, String other) throws IOException {
        try (LabClient phone = LabClient.open(run.endpoint(), sas.replace("epk=" + mine, "epk=" + other))) {
            int status = phone.ask(table + "()").status();
            run.claim(
                    "another last PartitionKey in the address breaks the signature", status == 403, "status " + status);
        }
    }

    private static void expired(LabRun run, String table, String mine) throws IOException {
        Instant past = Instant.now().minus(Duration.ofMinutes(30));
        String sas = TableSignature.of(run.endpoint().sharedKey(), table, "r", past, mine, mine);
        try (LabClient phone = LabClient.open(run.endpoint(), sas)) {
            int status = phone.ask(table + "()").status();
            run.claim("after its end a signature is worth nothing", status == 403, "status " + status);
        }
    }

    /** Each user reads ten times: through a server of the application, or with a signature. */
    private static void work(LabRun run, LabClient client, String table, int users) throws IOException {
        List<String> signatures = new ArrayList<>();
        long before = client.roundTrips();
        Instant expiry = Instant.now().plus(Duration.ofHours(1));
        for (int user = 1; user <= users; user++) {
            String partition = "user_" + Employees.id(user);
            signatures.add(TableSignature.of(run.endpoint().sharedKey(), table, "r", expiry, partition, partition));
        }
        long signing = client.roundTrips() - before;
        for (int user = 1; user <= users; user++) {
            for (int i = 0; i < 10; i++) {
                client.query(table, "PartitionKey eq 'user_" + Employees.id(user) + "'");
            }
        }
        long relaying = client.roundTrips() - before - signing;
        run.draw(Chart.bars(
                "What the application's server sends for " + users + " users with ten reads each",
                "requests to the table",
                "way",
                List.of("it relays each request", "it signs once a user"),
                List.of(Chart.values("requests to the table", List.of((double) relaying, (double) signing)))));
        run.claim(
                "to sign for all users takes no request to the table; to relay their reads takes one for each read",
                signing == 0 && relaying == 10L * users && signatures.size() == users,
                signing + " and " + relaying);
    }
}
