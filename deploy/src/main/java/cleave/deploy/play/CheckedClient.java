package cleave.deploy.play;

import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.JsonText;
import cleave.client.KeptConnection;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.deploy.play.Knowledge.Verdict;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client with entities of its own, which compares every answer with what it wrote. It sends one request at a time and repeats none, so it knows of each
 * entity what must be there. Confined to its thread.
 */
final class CheckedClient implements Closeable {
    static final int PARTITIONS = 96;
    /** Cut behind it, the partitions have as much load on one side as on the other. */
    static final int HOT = PARTITIONS / 6;

    private static final double HOT_SHARE = 0.4;
    private static final double WRITES = 0.5;
    private static final double WRITES_BESIDE_SCANS = 0.1;
    private static final int ROWS = 4;
    private static final int HOT_ROWS = 32;
    private static final int GENERATIONS_MAX = 100;
    private static final int APPENDED_MAX = 1_000;
    private static final int SCANNED_PARTITIONS = 24;
    private static final int TEXT_LENGTH = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int NOT_FOUND = 404;

    private final int number;
    private final String table;
    private final List<Requests> endpoints;
    private final Lamp lamp;
    private final LongSupplier ends;
    private final Random random;
    private final Knowledge knowledge = new Knowledge();
    /** How often an entity was replaced by another because a write of it is of unknown outcome. */
    private final Map<Item, Integer> generations = new HashMap<>();

    private final Deque<Item> appended = new ArrayDeque<>();
    private int endpoint;
    private KeptConnection connection;
    private long lastWrite;

    /**
     * @param endpoints of the front ends; another one is used after one that does not answer
     * @param ends numbers partitions behind all others, of all clients
     */
    CheckedClient(int number, String table, List<Requests> endpoints, Lamp lamp, LongSupplier ends, Random random) {
        this.number = number;
        this.table = table;
        this.endpoints = List.copyOf(endpoints);
        this.lamp = lamp;
        this.ends = ends;
        this.random = random;
        this.endpoint = number % endpoints.size();
        this.connection = new KeptConnection(requests().endpoint(), PATIENCE);
    }

    private Requests requests() {
        return endpoints.get(endpoint);
    }

    /** One request, with its answer. False if there was none. */
    boolean step(LoadShape shape) {
        return switch (shape) {
            case UNIFORM -> readOrWrite(random.nextInt(PARTITIONS), ROWS, WRITES);
            case HOT_PARTITION ->
                random.nextDouble() < HOT_SHARE
                        ? readOrWrite(HOT, HOT_ROWS, WRITES)
                        : readOrWrite(random.nextInt(PARTITIONS), ROWS, WRITES);
            case APPEND -> append();
            case SCAN ->
                random.nextDouble() < WRITES_BESIDE_SCANS
                        ? readOrWrite(random.nextInt(PARTITIONS), ROWS, 1)
                        : scan(random.nextInt(PARTITIONS - SCANNED_PARTITIONS + 1));
        };
    }

    private static String partition(int partition) {
        return String.format(Locale.ROOT, "p%04d", partition);
    }

    private boolean readOrWrite(int partition, int rows, double writes) {
        Item slot =
                new Item(partition(partition), String.format(Locale.ROOT, "c%02d-r%02d", number, random.nextInt(rows)));
        int generation = generations.getOrDefault(slot, 0);
        Item item = generation(slot, generation);
        if (random.nextDouble() >= writes) {
            return read(generation(slot, random.nextInt(generation + 1)));
        }
        if (!knowledge.isOpen(item) && generation < GENERATIONS_MAX) {
            generations.put(slot, generation + 1);
            item = generation(slot, generation + 1);
        }
        return knowledge.isOpen(item) ? write(item) : read(item);
    }

    private static Item generation(Item slot, int generation) {
        return generation == 0 ? slot : new Item(slot.partition(), slot.row() + "-g" + generation);
    }

    private boolean append() {
        if (!appended.isEmpty() && random.nextDouble() >= WRITES) {
            Item item = appended.removeFirst();
            appended.addLast(item);
            return read(item);
        }
        Item item = new Item(
                String.format(Locale.ROOT, "q%012d", ends.getAsLong()), String.format(Locale.ROOT, "c%02d", number));
        appended.addLast(item);
        if (appended.size() > APPENDED_MAX) {
            knowledge.forget(appended.removeFirst());
        }
        return write(item);
    }

    private boolean write(Item item) {
        long write = ++lastWrite;
        Answer answer = exchange(to -> to.put(table, item.partition(), item.row(), "", json(write)), () -> {
            knowledge.unknown(item, write);
            lamp.unknown.increment();
        });
        if (answer == null) {
            return false;
        }
        if (answer.isSuccess()) {
            knowledge.acknowledged(item, write);
            lamp.answered.increment();
            return true;
        }
        if (answer.status() == 500 || answer.status() == 504) {
            knowledge.unknown(item, write);
            lamp.unknown.increment();
        } else {
            refused("write of " + item, answer);
        }
        return false;
    }

    private boolean read(Item item) {
        Answer answer = exchange(to -> to.get(table, item.partition(), item.row()), lamp.refused::increment);
        if (answer == null) {
            return false;
        }
        boolean isAbsent = answer.status() == NOT_FOUND && answer.errorCode().equals("ResourceNotFound");
        if (!isAbsent && !answer.isSuccess()) {
            return refused("read of " + item, answer);
        }
        try {
            judge(item, isAbsent ? Knowledge.ABSENT : found(item, JsonText.object(answer.body())), "a read");
        } catch (IOException malformed) {
            lamp.found(Verdict.WRONG, "A read of " + item + " was answered with what is not JSON.");
        }
        return true;
    }

    /** All pages of the client's own entities between two partitions. */
    private boolean scan(int first) {
        String from = partition(first);
        String to = partition(first + SCANNED_PARTITIONS);
        List<String> options = List.of(Requests.option(
                "$filter", "PartitionKey ge '" + from + "' and PartitionKey lt '" + to + "' and Client eq " + number));
        Set<Item> missing = new HashSet<>(knowledge.between(from, to).keySet());
        Continuation next = null;
        do {
            Continuation at = next;
            Answer page = exchange(asked -> asked.query(table, options, at), lamp.refused::increment);
            if (page == null) {
                return false;
            }
            if (!page.isSuccess()) {
                return refused("scan from " + from, page);
            }
            try {
                for (Map<String, @Nullable Object> entity : JsonText.entities(page.body())) {
                    Item item = new Item(text(entity, "PartitionKey"), text(entity, "RowKey"));
                    judge(item, found(item, entity), "a scan");
                    missing.remove(item);
                }
                next = Continuation.of(page);
            } catch (IOException malformed) {
                lamp.found(Verdict.WRONG, "A scan from " + from + " was answered with what is not JSON.");
                return true;
            }
        } while (next != null);
        missing.forEach(item -> judge(item, Knowledge.ABSENT, "a scan"));
        return true;
    }

    private void judge(Item item, long found, String by) {
        String expected = knowledge.expected(item);
        Verdict verdict = knowledge.read(item, found);
        if (verdict == Verdict.RIGHT) {
            lamp.answered.increment();
        } else {
            lamp.found(
                    verdict,
                    item + " is " + (found < 0 ? "something that nobody wrote" : Knowledge.text(found)) + " to " + by
                            + ", and must be " + expected + ".");
        }
    }

    /** The number of the write that left the entity as it is; below 0 if none did. */
    private static long found(Item item, Map<String, @Nullable Object> entity) {
        boolean isWhole = text(entity, "PartitionKey").equals(item.partition())
                && text(entity, "RowKey").equals(item.row())
                && entity.get("Write") instanceof Long;
        if (!isWhole) {
            return Long.MIN_VALUE;
        }
        long write = (Long) Objects.requireNonNull(entity.get("Write"));
        return text(entity, "Text").equals(padding(write)) ? write : Long.MIN_VALUE;
    }

    private static String text(Map<String, @Nullable Object> entity, String property) {
        return Objects.toString(entity.get(property), "");
    }

    private String json(long write) {
        return JsonText.of(json -> {
            json.writeNumberField("Client", number);
            json.writeNumberField("Write", write);
            json.writeStringField("Text", padding(write));
        });
    }

    private static String padding(long write) {
        String text = Long.toString(write * 1_000_003, Character.MAX_RADIX) + " ";
        return text.repeat(TEXT_LENGTH / text.length());
    }

    /** False. An answer that no fault explains is wrong. */
    private boolean refused(String what, Answer answer) {
        if (answer.status() == 503 || answer.status() == 500 || answer.status() == 504) {
            lamp.refused.increment();
        } else {
            lamp.found(Verdict.WRONG, "A " + what + " was answered with " + answer.problem() + ".");
        }
        return false;
    }

    /** @param silence what it means that there was no answer to a request that was sent; null is returned then */
    private @Nullable Answer exchange(Function<Requests, Request> request, Runnable silence) {
        boolean isSent = false;
        try {
            connection.connect();
            isSent = true;
            return connection.exchange(request.apply(requests()));
        } catch (IOException silent) {
            if (isSent) {
                silence.run();
            } else {
                lamp.refused.increment();
            }
            close();
            endpoint = (endpoint + 1) % endpoints.size();
            connection = new KeptConnection(requests().endpoint(), PATIENCE);
            return null;
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
