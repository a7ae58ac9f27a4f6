package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/**
 * Random requests, broken appends, takeovers, checkpoints, lost answers of masters, in random order: what the servers answer and
 * hold is always what a map would, where a write of unknown outcome either happened or did not.
 */
class RangePropertyTest {
    private static final int ROWS = 6;
    private static final WriteKind[] KINDS = {
        WriteKind.INSERT, WriteKind.REPLACE, WriteKind.MERGE, WriteKind.INSERT_OR_REPLACE, WriteKind.DELETE
    };

    /** The values that a key may hold; null: none. */
    private final TreeMap<String, TreeSet<String>> model = new TreeMap<>();

    private static final String NOTHING = "";

    @Property(tries = 60)
    void answersAndContentsAreThoseOfAMap(@ForAll long seed) {
        Random random = new Random(seed);
        model.clear();
        Cluster cluster = Cluster.withCheckpointsAt(300 + random.nextInt(2000));
        cluster.start("s1");
        cluster.start("s2");
        cluster.start("s3");
        List<Node> nodes = cluster.nodes();
        for (int step = 0; step < 120; step++) {
            Node serving = owner(nodes, cluster);
            int choice = random.nextInt(20);
            if (choice < 14) {
                request(cluster, serving, random, step);
            } else if (choice < 16) {
                breakLog(cluster, serving, random, step);
            } else if (choice == 16) {
                cluster.masters.answersToLose = 1 + random.nextInt(2);
            } else if (choice == 17) {
                takeOver(cluster, nodes, random);
            } else {
                cluster.settle();
            }
        }
        cluster.loop.advanceMillis(10_000);
        takeOver(cluster, nodes, random);
        Node last = owner(nodes, cluster);
        for (int row = 0; row < ROWS; row++) {
            checkRead("row" + row, last.value("row" + row));
        }
    }

    private static Node owner(List<Node> nodes, Cluster cluster) {
        Incarnation owner = cluster.masters.onlyRow().owner();
        for (Node node : nodes) {
            if (owner != null
                    && node.id.equals(owner.server())
                    && !node.ranges().isEmpty()) {
                return node;
            }
        }
        cluster.loop.advanceMillis(5_000);
        return owner(nodes, cluster);
    }

    private Set<String> possible(String row) {
        return model.computeIfAbsent(row, fresh -> new TreeSet<>(List.of(NOTHING)));
    }

    private void checkRead(String row, @Nullable String value) {
        if (value == null || !value.equals(value.toUpperCase(java.util.Locale.ROOT)) || value.isEmpty()) {
            String found = value == null ? NOTHING : value;
            assertThat(possible(row)).contains(found);
            model.put(row, new TreeSet<>(List.of(found)));
        }
    }

    private void request(Cluster cluster, Node serving, Random random, int step) {
        String row = "row" + random.nextInt(ROWS);
        Key key = Node.key(row);
        if (random.nextInt(3) == 0) {
            Answer<ReadReply> read = Node.read(serving.range(), key);
            cluster.loop.runReady();
            checkRead(row, Node.valueOf(read.get()));
            return;
        }
        WriteKind kind = KINDS[random.nextInt(KINDS.length)];
        String value = "v" + step;
        WriteOperation operation = Node.op(kind, key, kind == WriteKind.DELETE ? null : value);
        Answer<WriteReply> write = Node.send(serving.range(), operation);
        cluster.loop.runReady();
        judge(row, kind, value, write.get().getStatus().getCode());
    }

    private void judge(String row, WriteKind kind, String value, ErrorCode code) {
        Set<String> before = possible(row);
        String result = kind == WriteKind.DELETE ? NOTHING : value;
        switch (code) {
            case OK -> {
                assertThat(before.stream().anyMatch(held -> fits(kind, held))).isTrue();
                model.put(row, new TreeSet<>(List.of(result)));
            }
            case ALREADY_EXISTS -> {
                before.remove(NOTHING);
                assertThat(before).isNotEmpty();
            }
            case NOT_FOUND -> {
                assertThat(before).contains(NOTHING);
                model.put(row, new TreeSet<>(List.of(NOTHING)));
            }
            case UNKNOWN_OUTCOME -> before.add(result);
            case UNAVAILABLE, NOT_OWNER, BUSY -> assertThat(before).isNotEmpty();
            default -> throw new AssertionError("unexpected " + code);
        }
    }

    private static boolean fits(WriteKind kind, String held) {
        return switch (kind) {
            case INSERT -> held.equals(NOTHING);
            case REPLACE, MERGE, DELETE -> !held.equals(NOTHING);
            default -> true;
        };
    }

    /** Some writes are under way when the log breaks; how much of them has reached it, only the seal shows. */
    private void breakLog(Cluster cluster, Node serving, Random random, int step) {
        String log = cluster.dfs.newestOpenLog(serving.id);
        if (log.isEmpty()) {
            return; // It is being replaced already.
        }
        cluster.dfs.holdAppends(path -> path.equals(log));
        List<Runnable> judgements = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String row = "row" + (2 * i + random.nextInt(2));
            String value = "b" + step + "x" + i;
            Answer<WriteReply> write =
                    Node.send(serving.range(), Node.op(WriteKind.INSERT_OR_REPLACE, Node.key(row), value));
            cluster.loop.runReady();
            judgements.add(() -> judge(
                    row,
                    WriteKind.INSERT_OR_REPLACE,
                    value,
                    write.get().getStatus().getCode()));
        }
        if (random.nextBoolean()) {
            cluster.dfs.breakAppends(log, random.nextInt(300));
        } else {
            cluster.dfs.keepAtSeal(random.nextInt(300));
            cluster.dfs.seal(log);
        }
        cluster.dfs.releaseAppends();
        cluster.loop.advanceMillis(5_000);
        judgements.forEach(Runnable::run);
    }

    private void takeOver(Cluster cluster, List<Node> nodes, Random random) {
        Node from = owner(nodes, cluster);
        List<Node> others = nodes.stream().filter(node -> node != from).toList();
        Node to = others.get(random.nextInt(others.size()));
        cluster.cutOff.clear();
        cluster.loop.advanceMillis(5_000);
        cluster.takeOver(from.id, to.id);
        cluster.loop.advanceMillis(5_000);
        cluster.cutOff.clear();
        cluster.loop.advanceMillis(5_000);
    }
}
