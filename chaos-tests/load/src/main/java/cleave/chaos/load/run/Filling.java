package cleave.chaos.load.run;

import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Planner;
import cleave.chaos.load.workload.Workload;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Credential;
import cleave.client.JsonText;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.Sas;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates a workload's table and loads its entities, by transactions over one connection. Confined to its caller. */
public final class Filling {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int OPERATIONS_MAX = 100;
    /** A transaction has at most 4 MiB, and each entity in it some 300 bytes of headers. */
    private static final int BYTES_MAX = 3 << 20;
    /** While a cluster's first ranges open, or under a throttle, the service may be busy. */
    private static final int BUSY_MAX = 200;

    private static final Duration BUSY_PAUSE = Duration.ofMillis(200);
    private static final int FORBIDDEN = 403;

    private final Requests requests;
    private final String table;
    private final Workload workload;
    private final Connection connection;

    private Filling(Requests requests, String table, Workload workload, Connection connection) {
        this.requests = requests;
        this.table = table;
        this.workload = workload;
        this.connection = connection;
    }

    /**
     * Creates a table unless it exists, and fills it if it is empty.
     *
     * @param ledger where what was loaded is noted; null: nowhere
     * @return true if the table was filled; false if it has entities, and is left as it is
     * @throws IOException if the service does not answer as it should
     */
    public static boolean fill(Requests requests, String table, Workload workload, @Nullable Ledger ledger)
            throws IOException {
        try (Connection connection = Connection.open(requests.endpoint(), PATIENCE)) {
            Filling filling = new Filling(requests, table, workload, connection);
            if (!filling.create() && filling.hasEntities()) {
                return false;
            }
            filling.load(ledger);
            return true;
        }
    }

    /** True if the table is new; false if it was there, or if the signature does not permit creating tables. */
    private boolean create() throws IOException {
        Credential credential = requests.endpoint().credential();
        if (credential instanceof Sas sas && !sas.table().isEmpty()) {
            return false;
        }
        Answer created = answer(() -> requests.createTable(table));
        if (created.errorCode().equals("TableAlreadyExists")
                || (created.status() == FORBIDDEN && credential instanceof Sas)) {
            return false;
        }
        if (created.status() != 204) {
            throw new IOException("table " + table + " cannot be created: " + created);
        }
        return true;
    }

    private boolean hasEntities() throws IOException {
        String token = "";
        do {
            List<String> options = token.isEmpty() ? List.of("$top=1") : List.of("$top=1", token);
            Answer page = answer(() -> requests.query(table, options));
            if (page.errorCode().equals("TableNotFound")) {
                throw new IOException("there is no table " + table + ", and the signature does not permit creating it;"
                        + " create it, or name one that exists by --table");
            }
            if (!page.isSuccess()) {
                throw new IOException("whether table " + table + " is empty cannot be read: " + page);
            }
            if (!JsonText.entities(page.body()).isEmpty()) {
                return true;
            }
            token = Exchange.token(page);
        } while (!token.isEmpty());
        return false;
    }

    /** The answer to a request, which is signed and sent again while the service is busy. */
    private Answer answer(Supplier<Request> request) throws IOException {
        for (int busy = 0; ; busy++) {
            Answer answer = connection.exchange(request.get());
            boolean isBusy = Exchange.transaction(answer).status() == Attempt.Status.BUSY;
            if (!isBusy || busy == BUSY_MAX) {
                return answer;
            }
            Wait.until(() -> false, BUSY_PAUSE, BUSY_PAUSE);
        }
    }

    private record Loaded(EntityKey key, long item) {}

    private void load(@Nullable Ledger ledger) throws IOException {
        int bytes = workload.shape().entityBytes() + 300;
        int most = Math.max(1, Math.min(OPERATIONS_MAX, BYTES_MAX / bytes));
        Map<String, List<Loaded>> open = new LinkedHashMap<>();
        for (long item = 0; item < workload.shape().items(); item++) {
            EntityKey key = Planner.loadedKey(workload, item);
            List<Loaded> of = open.computeIfAbsent(key.partition(), same -> new ArrayList<>());
            of.add(new Loaded(key, item));
            if (of.size() == most) {
                write(of);
                open.remove(key.partition());
            }
            if (ledger != null) {
                ledger.loaded(key, item);
            }
        }
        for (List<Loaded> rest : open.values()) {
            write(rest);
        }
    }

    private void write(List<Loaded> entities) throws IOException {
        List<Request> parts = new ArrayList<>(entities.size());
        for (Loaded each : entities) {
            String address =
                    requests.address(table, each.key().partition(), each.key().row());
            String json =
                    Entities.whole(each.key(), each.item(), workload.shape().entityBytes());
            parts.add(requests.part("PUT", address, "", json));
        }
        Attempt attempt = Exchange.transaction(answer(() -> requests.transaction(parts)));
        if (attempt.status() != Attempt.Status.DONE) {
            throw new IOException("table " + table + " cannot be filled: " + attempt.text());
        }
    }
}
