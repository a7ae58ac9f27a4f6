package cleave.chaos.load.run;

import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.JsonText;
import cleave.client.Repeat;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.client.RetryingClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table back and compares every entity, property by property, with what a {@link Ledger} permits. Confined to its caller.
 */
public final class Verification {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int PROBLEMS_MAX = 100;

    private final Ledger ledger;
    private final int entityBytes;
    private final Set<EntityKey> seen = new HashSet<>();
    private final List<String> problems = new ArrayList<>();
    private long wrong;

    Verification(Ledger ledger, int entityBytes) {
        this.ledger = ledger;
        this.entityBytes = entityBytes;
    }

    /**
     * The findings. Immutable.
     *
     * @param entities that were read
     * @param wrong entities that are lost or not as they must be
     * @param problems the first of them
     */
    public record Result(long entities, long wrong, List<String> problems) {
        public Result {
            problems = List.copyOf(problems);
        }
    }

    /**
     * @param patience for one answer, and for the repetitions of one request
     * @throws IOException if the table cannot be read
     */
    public static Result of(Requests requests, String table, Ledger ledger, int entityBytes, Duration patience)
            throws IOException {
        Verification verification = new Verification(ledger, entityBytes);
        RetryPolicy retries = RetryPolicy.fixed((int) patience.dividedBy(PAUSE), PAUSE);
        try (RetryingClient client = new RetryingClient(requests, patience, retries, Repeat.TRANSIENT)) {
            Continuation from = null;
            do {
                Answer page = client.page(table, List.of(), from);
                RetryingClient.expect("reading table " + table + " back", page);
                for (Map<String, @Nullable Object> entity : JsonText.entities(page.body())) {
                    verification.judge(entity);
                }
                from = Continuation.of(page);
            } while (from != null);
        }
        return verification.result();
    }

    void judge(Map<String, @Nullable Object> entity) throws IOException {
        EntityKey key = new EntityKey(text(entity, "PartitionKey"), text(entity, "RowKey"));
        if (!seen.add(key)) {
            problem(key, "there twice");
            return;
        }
        long whole = number(text(entity, "Write"));
        long merged = entity.containsKey("Merged") ? number(text(entity, "Merged")) : Ledger.NOT_MERGED;
        String problem = ledger.problem(key, whole, merged);
        if (problem == null && !contents(entity).equals(written(key, whole))) {
            problem = "wrong: its other properties are not those that write " + whole + " wrote: " + contents(entity);
        }
        if (problem != null) {
            problem(key, problem);
        }
    }

    private static long number(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : Long.MIN_VALUE;
    }

    private Map<String, @Nullable Object> written(EntityKey key, long write) throws IOException {
        return contents(JsonText.object(Entities.whole(key, write, entityBytes).getBytes(StandardCharsets.UTF_8)));
    }

    /** The properties that clients wrote, without types and what the service adds. */
    private static Map<String, @Nullable Object> contents(Map<String, @Nullable Object> entity) {
        Map<String, @Nullable Object> contents = new TreeMap<>(entity);
        contents.keySet()
                .removeIf(name -> name.contains("odata.") || name.equals("Timestamp") || name.equals("Merged"));
        return contents;
    }

    private static String text(Map<String, @Nullable Object> entity, String property) {
        return Objects.toString(entity.get(property), "");
    }

    private void problem(EntityKey key, String what) {
        wrong++;
        if (problems.size() < PROBLEMS_MAX) {
            problems.add(key + " is " + what);
        }
    }

    /** The findings so far, with the entities that are missing. */
    Result result() {
        for (EntityKey key : ledger.keys()) {
            if (!seen.contains(key)) {
                String problem = ledger.problem(key, Ledger.ABSENT, Ledger.NOT_MERGED);
                if (problem != null) {
                    problem(key, problem);
                }
            }
        }
        return new Result(seen.size(), wrong, problems);
    }
}
