package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.server.range.Range;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrder;
import cleave.wire.ReadReply;
import cleave.wire.Status;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;

/**
 * Random splits, merges and moves, many at a time, with lost calls, lost answers, refused commits, broken logs, checkpoints and
 * takeovers, under reads and writes that meet every step: what the servers answer and hold is always what a map would, where a write
 * of unknown outcome either happened or did not; the rows tile the key space; and in the end everything is served and writable.
 */
class RangePropertyTest {
    private static final int PARTITIONS = 8;
    private static final String NOTHING = "";
    private static final String[] CALLS = {"prepare", "finish", "forget"};
    private static final WriteKind[] KINDS = {
        WriteKind.INSERT, WriteKind.REPLACE, WriteKind.MERGE, WriteKind.INSERT_OR_REPLACE, WriteKind.DELETE
    };

    /** The values that a key may hold. */
    private final TreeMap<Key, TreeSet<String>> model = new TreeMap<>();
    /** One a key at most. */
    private final TreeMap<Key, Pending> underWay = new TreeMap<>();

    /** A request that may not be answered yet. */
    private record Pending(Answer<?> answer, Runnable judge) {}

    @Property(tries = 150)
    void answersAndContentsAreThoseOfAMap(@ForAll long seed) {
        Random random = new Random(seed);
        Cluster cluster = begin(300 + random.nextInt(3000));
        play(cluster, random, 150, step -> {
            int choice = random.nextInt(100);
            if (choice < 60) {
                request(cluster, random, step);
            } else if (choice < 80) {
                handoff(cluster, random);
            } else {
                fault(cluster, random, step);
            }
        });
        for (String use : List.of("split", "merge", "move")) {
            collect(cluster, use, "done");
            collect(cluster, use, "given up");
        }
    }

    /** Its logs break, and other servers take it over, much more often. */
    @Property(tries = 60)
    void soAreThoseOfOneRangeWithoutHandoffs(@ForAll long seed) {
        Random random = new Random(seed);
        Cluster cluster = begin(300 + random.nextInt(2000));
        play(cluster, random, 120, step -> {
            String server = owner(cluster, key(0)).server();
            switch (random.nextInt(20)) {
                case 0, 1 -> breakLog(cluster, random, step, server);
                case 2 -> cluster.masters.answersToLose = 1 + random.nextInt(2);
                case 3 -> {
                    declareDead(cluster, random, server);
                    cluster.loop.advanceMillis(5_000);
                }
                case 4, 5 -> cluster.settle();
                default -> request(cluster, random, step);
            }
        });
    }

    private Cluster begin(long checkpointBytes) {
        model.clear();
        underWay.clear();
        Cluster cluster = Cluster.withCheckpointsAt(checkpointBytes);
        for (int i = 1; i <= 3; i++) {
            cluster.start("s" + i);
        }
        return cluster;
    }

    private void play(Cluster cluster, Random random, int steps, IntConsumer act) {
        for (int step = 0; step < steps; step++) {
            act.accept(step);
            cluster.loop.advance(random.nextInt(4) * 1_000_000L);
            judge();
        }
        heal(cluster);
        judge();
        assertThat(underWay).as("every request is answered").isEmpty();
        for (int i = 0; i < PARTITIONS; i++) {
            Node owner = cluster.node(owner(cluster, key(i)).server());
            checkRead(key(i), owner.value(key(i)));
            cluster.settle(); // It may be the first to find the log sealed, which is replaced then.
            assertThat(owner.write(WriteKind.INSERT_OR_REPLACE, key(i), "last")
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.OK);
        }
        int served = 0;
        int open = 0;
        for (Node node : cluster.nodes()) {
            served += node.ranges().size();
            open += node.stores.open;
        }
        assertThat(served).isEqualTo(cluster.masters.rows.size());
        assertThat(open).as("stores that are open").isEqualTo(served);
    }

    /** Nearly every run has handoffs of each use that are done, and most have some that are given up. */
    private static void collect(Cluster cluster, String use, String outcome) {
        double count = 0;
        for (Node node : cluster.nodes()) {
            count += node.metrics.handoffs.labels(use, outcome).get();
        }
        Statistics.label(use + " " + outcome)
                .collect(count > 0)
                .coverage(checker -> checker.check(true).percentage(percent -> percent > 50));
    }

    private static Key key(int partition) {
        return Key.of(7, "p" + partition, "r");
    }

    private static Incarnation owner(Cluster cluster, Key key) {
        for (Row row : cluster.masters.rows.values()) {
            if (row.range().contains(key) && row.owner() != null) {
                return row.owner();
            }
        }
        throw new AssertionError("nobody owns " + key);
    }

    /** To any server that believes it serves the key, zombies too. */
    private void request(Cluster cluster, Random random, int step) {
        Key key = key(random.nextInt(PARTITIONS));
        List<Range> believers = new ArrayList<>();
        for (Node node : cluster.nodes()) {
            node.ranges().stream().filter(range -> range.ownership().holds(key)).forEach(believers::add);
        }
        if (believers.isEmpty() || underWay.containsKey(key)) {
            return;
        }
        Range range = believers.get(random.nextInt(believers.size()));
        if (random.nextInt(3) == 0) {
            Answer<ReadReply> read = Node.read(range, key);
            underWay.put(key, new Pending(read, () -> checkRead(key, Node.valueOf(read.get()))));
            return;
        }
        WriteKind kind = KINDS[random.nextInt(KINDS.length)];
        String value = "v" + step;
        Answer<WriteReply> write = Node.send(range, 2_000, Node.op(kind, key, kind == WriteKind.DELETE ? null : value));
        underWay.put(
                key,
                new Pending(
                        write, () -> judgeWrite(key, kind, value, write.get().getStatus())));
    }

    private void judge() {
        for (Key key : List.copyOf(underWay.keySet())) {
            Pending request = underWay.get(key);
            if (request != null && request.answer().isGiven()) {
                underWay.remove(key);
                request.judge().run();
            }
        }
    }

    private Set<String> possible(Key key) {
        return model.computeIfAbsent(key, fresh -> new TreeSet<>(List.of(NOTHING)));
    }

    private void checkRead(Key key, @Nullable String value) {
        boolean refused = value != null && !value.isEmpty() && value.equals(value.toUpperCase(Locale.ROOT));
        if (!refused) {
            String found = value == null ? NOTHING : value;
            assertThat(possible(key)).as("%s", key).contains(found);
            model.put(key, new TreeSet<>(List.of(found)));
        }
    }

    private void judgeWrite(Key key, WriteKind kind, String value, Status status) {
        Set<String> before = possible(key);
        String result = kind == WriteKind.DELETE ? NOTHING : value;
        switch (status.getCode()) {
            case OK -> {
                assertThat(before.stream().anyMatch(held -> fits(kind, held)))
                        .as("%s of %s over %s", kind, key, before)
                        .isTrue();
                model.put(key, new TreeSet<>(List.of(result)));
            }
            case ALREADY_EXISTS -> {
                before.remove(NOTHING);
                assertThat(before).as("%s", key).isNotEmpty();
            }
            case NOT_FOUND -> {
                assertThat(before).as("%s", key).contains(NOTHING);
                model.put(key, new TreeSet<>(List.of(NOTHING)));
            }
            case UNKNOWN_OUTCOME -> before.add(result);
            case UNAVAILABLE, NOT_OWNER, BUSY -> assertThat(before).isNotEmpty();
            default -> throw new AssertionError("unexpected " + status);
        }
    }

    private static boolean fits(WriteKind kind, String held) {
        return switch (kind) {
            case INSERT -> held.equals(NOTHING);
            case REPLACE, MERGE, DELETE -> !held.equals(NOTHING);
            default -> true;
        };
    }

    /** One to three neighbours of one owner, replaced by one to three. */
    private static void handoff(Cluster cluster, Random random) {
        List<Row> rows = cluster.masters.inKeyOrder();
        int from = random.nextInt(rows.size());
        Incarnation owner = rows.get(from).owner();
        int until = from + 1;
        int most = from + 1 + random.nextInt(3);
        while (until < Math.min(rows.size(), most)
                && Objects.equals(rows.get(until).owner(), owner)) {
            until++;
        }
        if (owner == null) {
            return;
        }
        List<Row> sources = rows.subList(from, until);
        TreeSet<Key> at = new TreeSet<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            Key bound = Key.beforePartition(7, "p" + random.nextInt(PARTITIONS));
            boolean inside = sources.stream().anyMatch(row -> row.range().contains(bound));
            if (inside && !bound.equals(sources.get(0).range().start())) {
                at.add(bound);
            }
        }
        String[] owners = new String[at.size() + 1];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = "s" + (1 + random.nextInt(3));
        }
        HandoffOrder order = cluster.order(sources, List.copyOf(at), owners);
        cluster.send(
                owner.server(),
                order.toBuilder().setDeadlineMillis(random.nextInt(2_000)).build());
    }

    private void fault(Cluster cluster, Random random, int step) {
        String server = "s" + (1 + random.nextInt(3));
        switch (random.nextInt(9)) {
            case 0 -> breakLog(cluster, random, step, server);
            case 1 -> cluster.masters.answersToLose = 1 + random.nextInt(2);
            case 2 -> cluster.lostCalls.add(CALLS[random.nextInt(CALLS.length)]);
            case 3 -> cluster.lostAnswers.add(CALLS[random.nextInt(CALLS.length)]);
            case 4 -> cluster.masters.refuseHandoffs(random.nextBoolean());
            case 5 -> declareDead(cluster, random, server);
            case 6 -> cluster.node(server).stores.opens.hold();
            case 7 -> cluster.loop.advanceMillis(random.nextInt(3_000));
            default -> ease(cluster);
        }
    }

    /** Some requests are under way when the log breaks; how much of them has reached it, only the seal shows. */
    private void breakLog(Cluster cluster, Random random, int step, String server) {
        String log = cluster.dfs.newestOpenLog(server);
        if (log.isEmpty()) {
            return;
        }
        cluster.dfs.holdAppends(path -> path.equals(log));
        for (int i = 0; i < 3; i++) {
            request(cluster, random, 1000 * (i + 1) + step);
            cluster.loop.advance(random.nextInt(3) * 1_000_000L);
        }
        if (cluster.dfs.paths(log).isEmpty()) {
            cluster.dfs.releaseAppends();
            return; // It was a target's that has been given up.
        }
        if (random.nextBoolean()) {
            cluster.dfs.breakAppends(log, random.nextInt(300));
        } else {
            cluster.dfs.keepAtSeal(random.nextInt(300));
            cluster.dfs.seal(log);
        }
        cluster.dfs.releaseAppends();
    }

    /** With luck it does not hear of it for a while. */
    private static void declareDead(Cluster cluster, Random random, String server) {
        ease(cluster);
        cluster.loop.advanceMillis(random.nextInt(2_000));
        if (random.nextBoolean()) {
            cluster.cutOff.add(server);
        }
        String taker = "s" + (1 + random.nextInt(3));
        cluster.masters.taker = taker.equals(server) ? (server.equals("s1") ? "s2" : "s1") : taker;
        cluster.masters.declareDead(cluster.incarnation(server));
    }

    private static void ease(Cluster cluster) {
        cluster.cutOff.clear();
        cluster.lostCalls.clear();
        cluster.lostAnswers.clear();
        cluster.masters.refuseHandoffs(false);
        cluster.nodes().forEach(node -> node.stores.opens.release());
    }

    private static void heal(Cluster cluster) {
        ease(cluster);
        cluster.dfs.releaseAppends();
        cluster.loop.advanceMillis(150_000);
    }
}
