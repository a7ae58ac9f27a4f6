package cleave.chaos.sim;

import cleave.chaos.client.Answer;
import cleave.chaos.client.JsonText;
import cleave.chaos.client.Request;
import cleave.chaos.client.Requests;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One walk over the whole table, by continuation tokens. Confined to the simulation.
 *
 * <p>What it sees and does not see is written down as reads of each key, at the time of its page, so the checker of histories
 * judges it together with everything else; invariant I7 (each key once, in order) is judged here, and so is invariant I6: the two
 * rows of a pair, on one page, are of one transaction.
 */
final class SimScan {
    private static final int REFUSALS_MAX = 5;

    private final World world;
    private final Workload workload;
    private final Random random;
    private final int client;
    private final Sender sender;
    private Runnable then = () -> {};
    private String lastKey = "";
    private long gapSince;
    private List<String> token = List.of();
    private int refusals;

    interface Sender {
        void send(Request request, Http.Ending ending);
    }

    SimScan(World world, Workload workload, Random random, int client, Sender sender) {
        this.world = world;
        this.workload = workload;
        this.random = random;
        this.client = client;
        this.sender = sender;
    }

    void begin(Runnable whenDone) {
        then = whenDone;
        gapSince = world.now();
        page();
    }

    private void page() {
        List<String> options = new ArrayList<>(token);
        if (random.nextBoolean()) {
            options.add(Requests.option("$top", String.valueOf(1 + random.nextInt(8))));
        }
        Request request = workload.requests()
                .query(Workload.TABLE, options)
                .without("Accept")
                .with("Accept", "application/json;odata=fullmetadata");
        long invoked = world.now();
        sender.send(request, (answer, sent) -> {
            if (answer == null || answer.status() != 200) {
                refused();
            } else {
                refusals = 0;
                took(answer, invoked);
            }
        });
    }

    private void refused() {
        if (++refusals > REFUSALS_MAX) {
            then.run();
        } else {
            world.after(random.nextInt(300_000_000), this::page);
        }
    }

    private void took(Answer answer, long invoked) {
        TreeMap<String, Result> rows = new TreeMap<>();
        try {
            for (Map<String, @Nullable Object> entity : JsonText.entities(answer.body())) {
                String key = entity.get("PartitionKey") + "/" + entity.get("RowKey");
                if (key.compareTo(rows.isEmpty() ? lastKey : rows.lastKey()) <= 0) {
                    world.violation(
                            Finding.By.SCAN,
                            "I7: a scan gave " + key + " behind " + (rows.isEmpty() ? lastKey : rows.lastKey()));
                }
                rows.put(key, result(entity));
            }
        } catch (IOException malformed) {
            world.violation(Finding.By.SCAN, "a page that cannot be read: " + answer);
        }
        judgePairs(rows);
        String partition = answer.header("x-ms-continuation-NextPartitionKey");
        String row = answer.header("x-ms-continuation-NextRowKey");
        write(rows, invoked, partition.isEmpty());
        if (partition.isEmpty()) {
            world.trace().count("scans to the end");
            then.run();
        } else {
            List<String> next = new ArrayList<>();
            next.add(Requests.option("NextPartitionKey", partition));
            if (!row.isEmpty()) {
                next.add(Requests.option("NextRowKey", row));
            }
            token = next;
            world.after(random.nextInt(20_000_000), this::page);
        }
    }

    private static Result result(Map<String, @Nullable Object> entity) {
        Map<String, String> properties = new TreeMap<>();
        entity.forEach((name, value) -> {
            if (name.length() == 1) {
                properties.put(name, String.valueOf(value));
            }
        });
        return Result.read(String.valueOf(entity.get("odata.etag")), properties);
    }

    private void judgePairs(SortedMap<String, Result> rows) {
        rows.forEach((key, result) -> {
            if (key.startsWith("q") && key.contains("/a")) {
                Result other = rows.get(key.replace("/a", "/b"));
                if (other != null && !other.properties().equals(result.properties())) {
                    world.violation(
                            Finding.By.SCAN,
                            "I6: a page shows a torn transaction: " + key + " " + result + ", but " + other);
                }
            }
        });
    }

    /** Reads of all keys up to the last row, or to the end of the table. */
    private void write(SortedMap<String, Result> rows, long invoked, boolean isLast) {
        String first = rows.isEmpty() ? "" : rows.firstKey();
        for (String key : workload.everUsed()) {
            boolean isCovered = isLast || (!rows.isEmpty() && key.compareTo(rows.lastKey()) <= 0);
            if (key.compareTo(lastKey) <= 0 || !isCovered) {
                continue;
            }
            Result seen = rows.get(key);
            boolean isInGap = rows.isEmpty() || key.compareTo(first) < 0;
            workload.record(new Operation(
                    client,
                    key,
                    OperationKind.GET,
                    Map.of(),
                    "",
                    isInGap ? gapSince : invoked,
                    world.now(),
                    seen == null ? Result.of(Outcome.MISSING, "by a scan") : seen));
        }
        if (!rows.isEmpty()) {
            lastKey = rows.lastKey();
            gapSince = invoked;
        }
    }
}
