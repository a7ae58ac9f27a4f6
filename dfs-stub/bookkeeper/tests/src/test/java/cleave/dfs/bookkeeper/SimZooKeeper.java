package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.Nodes.Node;
import cleave.dfs.bookkeeper.Nodes.Refused;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.CheckVersionRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper: changes are in one order, a session sees them late but in that order, and what it did itself at once. A connection that breaks
 * leaves its calls unanswered, executed or not; a session that ends is followed by one that may see less.
 */
final class SimZooKeeper {
    private static final int STALE_MAX = 20;

    private final SimWorld world;
    /** All that a node ever was, by the change that made it so. */
    private final TreeMap<String, TreeMap<Long, Optional<Node>>> nodes = new TreeMap<>();

    private long zxid;
    private long sessions;

    SimZooKeeper(SimWorld world) {
        this.world = world;
    }

    /** A node as of now. */
    Optional<Node> now(String node) {
        return at(node, zxid);
    }

    private Optional<Node> at(String node, long seen) {
        TreeMap<Long, Optional<Node>> versions = nodes.get(node);
        Map.Entry<Long, Optional<Node>> last = versions == null ? null : versions.floorEntry(seen);
        return last == null ? Optional.empty() : last.getValue();
    }

    /** The nodes below this one, as of now. */
    List<String> below(String node) {
        return below(node, zxid);
    }

    private List<String> below(String node, long seen) {
        return nodes.subMap(node + "/", node + "0").keySet().stream()
                .filter(each -> at(each, seen).isPresent())
                .toList();
    }

    private List<String> children(String node, long seen) {
        return below(node, seen).stream()
                .map(each -> each.substring(node.length() + 1))
                .filter(each -> !each.contains("/"))
                .toList();
    }

    /** Changes a node that the client of BookKeeper keeps, for which it makes what is above. */
    void put(String node, byte @Nullable [] data) {
        zxid++;
        put(node, data == null ? Optional.empty() : Optional.of(changed(now(node), data)));
    }

    private void put(String node, Optional<Node> what) {
        nodes.computeIfAbsent(node, key -> new TreeMap<>()).put(zxid, what);
    }

    private Node changed(Optional<Node> before, byte[] data) {
        Stat stat = new Stat();
        stat.setMzxid(zxid);
        stat.setCzxid(before.map(node -> node.stat().getCzxid()).orElse(zxid));
        stat.setVersion(before.map(node -> node.stat().getVersion() + 1).orElse(0));
        return new Node(data, stat);
    }

    /** One change, or none of it. */
    private void change(List<Op> operations) {
        zxid++;
        Map<String, Optional<Node>> after = new LinkedHashMap<>();
        for (int i = 0; i < operations.size(); i++) {
            Op operation = operations.get(i);
            Optional<Node> node = after.getOrDefault(operation.getPath(), now(operation.getPath()));
            after.put(operation.getPath(), carriedOut(operation, i, node));
        }
        after.forEach(this::put);
    }

    private Optional<Node> carriedOut(Op operation, int index, Optional<Node> node) {
        Object request = operation.toRequestRecord();
        if (request instanceof CreateRequest create) {
            String parent = operation.getPath().substring(0, operation.getPath().lastIndexOf('/'));
            check(parent.isEmpty() || now(parent).isPresent(), Code.NONODE, index);
            check(node.isEmpty(), Code.NODEEXISTS, index);
            return Optional.of(changed(node, create.getData()));
        }
        check(node.isPresent(), Code.NONODE, index);
        int version = request instanceof DeleteRequest delete
                ? delete.getVersion()
                : request instanceof SetDataRequest set
                        ? set.getVersion()
                        : ((CheckVersionRequest) request).getVersion();
        boolean isVersion = version < 0 || version == node.orElseThrow().stat().getVersion();
        check(isVersion, Code.BADVERSION, index);
        return request instanceof DeleteRequest
                ? Optional.empty()
                : request instanceof SetDataRequest set ? Optional.of(changed(node, set.getData())) : node;
    }

    private static void check(boolean isRight, Code code, int index) {
        if (!isRight) {
            throw new Refused(code, index);
        }
    }

    /** The sessions of one process, one after the other. */
    final class Session implements Nodes {
        private final SimProcess process;
        private long number = ++sessions;
        private long seen;
        private long connection;
        private final SimWorld.Wire there;
        private final SimWorld.Wire back;

        Session(SimProcess process) {
            this.process = process;
            this.there = world.wire();
            this.back = world.wire();
        }

        @Override
        public long session() {
            return number;
        }

        private void breaks() {
            connection++;
            if (world.happens(0.3)) {
                number = ++sessions;
                seen = Math.max(0, zxid - world.random().nextInt(STALE_MAX));
            }
        }

        private <T> CompletableFuture<T> call(Supplier<T> execution) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            long sent = connection;
            there.send(() -> {
                boolean isLost = sent != connection || world.isZooKeeperAway();
                if (!isLost && world.fails()) {
                    breaks();
                    isLost = world.random().nextBoolean();
                }
                CompletableFuture<T> result = isLost ? lost() : executed(execution);
                back.send(process, () -> settle(answer, sent == connection ? result : lost()));
            });
            return answer;
        }

        private <T> CompletableFuture<T> executed(Supplier<T> execution) {
            try {
                return CompletableFuture.completedFuture(execution.get());
            } catch (Refused refused) {
                return CompletableFuture.failedFuture(refused);
            }
        }

        private <T> CompletableFuture<T> lost() {
            return CompletableFuture.failedFuture(new Refused(Code.CONNECTIONLOSS, 0));
        }

        /** Its server may lag behind. */
        private <T> CompletableFuture<T> read(Supplier<T> question) {
            return call(() -> {
                seen = world.happens(0.7)
                        ? zxid
                        : Math.max(seen, zxid - world.random().nextInt(STALE_MAX));
                return question.get();
            });
        }

        private <T> CompletableFuture<T> write(Supplier<T> change) {
            return call(() -> {
                seen = zxid + 1;
                return change.get();
            });
        }

        @Override
        public CompletableFuture<Optional<Node>> get(String node) {
            return read(() -> at(node, seen).map(found -> {
                found.stat()
                        .setNumChildren(SimZooKeeper.this.children(node, seen).size());
                return found;
            }));
        }

        @Override
        public CompletableFuture<Stat> set(String node, byte[] data, int version) {
            return write(() -> {
                SimZooKeeper.this.change(List.of(Op.setData(node, data, version)));
                return now(node).orElseThrow().stat();
            });
        }

        @Override
        public CompletableFuture<Void> change(List<Op> operations) {
            return write(() -> {
                SimZooKeeper.this.change(world.bug().planted(operations));
                return null;
            });
        }

        @Override
        public CompletableFuture<List<String>> children(String node) {
            return read(() -> SimZooKeeper.this.children(node, seen));
        }
    }

    static <T> void settle(CompletableFuture<T> answer, CompletableFuture<T> result) {
        result.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(failure);
            }
        });
    }
}
