package cleave.chaos.load.run;

import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Planner;
import cleave.chaos.load.workload.Workload;
import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.JsonText;
import cleave.client.Repeat;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.client.RetryingClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates a workload's table and loads its entities, by transactions over one connection. Confined to its caller. */
public final class Filling {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int OPERATIONS_MAX = 100;
    /** A transaction has at most 4 MiB, and each entity in it some 300 bytes of headers. */
    private static final int BYTES_MAX = 3 << 20;
    /** While a cluster's first ranges open, or under a throttle, the service may be busy. */
    private static final RetryPolicy RETRIES = RetryPolicy.fixed(200, Duration.ofMillis(200));

    private final RetryingClient client;
    private final String table;
    private final Workload workload;

    private Filling(RetryingClient client, String table, Workload workload) {
        this.client = client;
        this.table = table;
        this.workload = workload;
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
        try (RetryingClient client = new RetryingClient(requests, PATIENCE, RETRIES, Repeat.BUSY)) {
            Filling filling = new Filling(client, table, workload);
            if (!client.ensureTable(table) && filling.hasEntities()) {
                return false;
            }
            filling.load(ledger);
            return true;
        }
    }

    private boolean hasEntities() throws IOException {
        Continuation from = null;
        do {
            Answer page = client.page(table, List.of("$top=1"), from);
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
            from = Continuation.of(page);
        } while (from != null);
        return false;
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
        Answer answer = client.exchange(to ->
                to.transaction(entities.stream().map(each -> part(to, each)).toList()));
        if (!answer.isCommitted()) {
            throw new IOException("table " + table + " cannot be filled: " + answer.problem());
        }
    }

    private Request part(Requests to, Loaded each) {
        EntityKey key = each.key();
        String json = Entities.whole(key, each.item(), workload.shape().entityBytes());
        return to.part("PUT", table, key.partition(), key.row(), "", json);
    }
}
