package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.NameTree;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The names of files, in ZooKeeper; {@link NameTree} tells where. Thread-safe. A change is one transaction over a path's two nodes, so a path is
 * never both a file and deleted, and of two creators one wins. What ZooKeeper did not answer fails with UNAVAILABLE, and may have been
 * done.
 */
final class Names {
    private static final byte[] NOTHING = {};
    private static final int ANY_VERSION = -1;
    private static final int WINDOW = 32;

    private final ZooKeeper zooKeeper;
    private final NameTree tree;

    Names(ZooKeeper zooKeeper, NameTree tree) {
        this.zooKeeper = zooKeeper;
        this.tree = tree;
    }

    /** A node's data with its place in time. */
    record Aged(Name name, long deletedMillis) {}

    private static DfsException failure(int code, String path) {
        return new DfsException(
                code == Code.NODEEXISTS.intValue() ? Reason.EXISTS : Reason.UNAVAILABLE,
                path + ": ZooKeeper answers " + Code.get(code));
    }

    /** Of nothing: ABSENT. */
    CompletableFuture<Name> look(String path) {
        return read(tree.file(path), path)
                .thenCompose(file -> file.name().isFile() ? done(file.name()) : lookBehind(path));
    }

    private CompletableFuture<Name> lookBehind(String path) {
        return read(tree.deleted(path), path).thenApply(Aged::name);
    }

    /** The same, and not from a server of ZooKeeper that lags behind. */
    CompletableFuture<Name> lookAtNewest(String path) {
        CompletableFuture<Void> synced = new CompletableFuture<>();
        zooKeeper.sync(tree.root(), (code, node, context) -> complete(synced, code, path, null), null);
        return synced.thenCompose(done -> look(path));
    }

    /** How a deleted file's name is kept; ABSENT if it is not. */
    CompletableFuture<Aged> tombstone(String path) {
        return read(tree.deleted(path), path);
    }

    private CompletableFuture<Aged> read(String node, String path) {
        CompletableFuture<Aged> answer = new CompletableFuture<>();
        zooKeeper.getData(
                node,
                false,
                (code, where, context, data, stat) -> {
                    if (code == Code.NONODE.intValue()) {
                        answer.complete(new Aged(Name.ABSENT, 0));
                    } else if (code != 0) {
                        answer.completeExceptionally(failure(code, path));
                    } else {
                        complete(answer, path, () -> new Aged(Name.parse(data, stat.getVersion()), stat.getCtime()));
                    }
                },
                null);
        return answer;
    }

    private static <T> void complete(CompletableFuture<T> answer, String path, Supplier<T> value) {
        T parsed;
        try {
            parsed = value.get();
        } catch (IllegalArgumentException foreign) {
            answer.completeExceptionally(new DfsException(Reason.DAMAGED, path + ": " + foreign.getMessage(), foreign));
            return;
        }
        answer.complete(parsed);
    }

    /** Gives a path that never was one its first name; EXISTS if it is taken, or was. */
    CompletableFuture<Void> create(String path, Name name) {
        String deleted = tree.deleted(path);
        return change(
                path,
                List.of(
                        // ZooKeeper has no check for what is not there.
                        Op.create(deleted, NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                        Op.delete(deleted, ANY_VERSION),
                        Op.create(tree.file(path), name.data(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
    }

    /** Marks a file's name; UNAVAILABLE if it has changed since it was looked at. */
    CompletableFuture<Name> mark(String path, Name old, Name.Kind kind) {
        CompletableFuture<Name> marked = new CompletableFuture<>();
        zooKeeper.setData(
                tree.file(path),
                old.as(kind).data(),
                old.version(),
                (code, node, context, stat) -> {
                    if (code == 0) {
                        marked.complete(new Name(kind, old.ledger(), stat.getVersion()));
                    } else {
                        marked.completeExceptionally(failure(code, path));
                    }
                },
                null);
        return marked;
    }

    /** Replaces a name by that of a deleted file; UNAVAILABLE if it has changed since it was looked at. */
    CompletableFuture<Void> bury(String path, Name old, Name.Kind kind) {
        String file = tree.file(path);
        List<Op> operations = new ArrayList<>();
        if (old.kind() == Name.Kind.ABSENT) {
            operations.add(Op.create(file, NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        }
        operations.add(Op.delete(file, old.kind() == Name.Kind.ABSENT ? ANY_VERSION : old.version()));
        operations.add(Op.create(tree.deleted(path), old.as(kind).data(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        return Failures.recover(
                change(path, operations),
                failure -> Failures.is(failure, Reason.EXISTS),
                () -> Failures.failed(Reason.UNAVAILABLE, path + " has changed meanwhile"));
    }

    private CompletableFuture<Void> change(String path, List<Op> operations) {
        CompletableFuture<Void> changed = new CompletableFuture<>();
        zooKeeper.multi(
                operations,
                (code, node, context, results) -> {
                    if (code == Code.NONODE.intValue()) {
                        // Most likely the first name of its bucket. If a node was deleted meanwhile, the caller looks
                        // again.
                        makeParents(path)
                                .whenComplete((made, failure) -> changed.completeExceptionally(
                                        failure == null
                                                ? new DfsException(Reason.UNAVAILABLE, path + " has a new place")
                                                : failure));
                    } else {
                        complete(changed, code, path, null);
                    }
                },
                null);
        return changed;
    }

    private CompletableFuture<Void> makeParents(String path) {
        CompletableFuture<Void> made = CompletableFuture.completedFuture(null);
        for (String parent : tree.parents(path)) {
            made = made.thenCompose(done -> make(parent));
        }
        return made;
    }

    private CompletableFuture<Void> make(String node) {
        CompletableFuture<Void> made = new CompletableFuture<>();
        zooKeeper.create(
                node,
                NOTHING,
                Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT,
                (code, path, context, name) ->
                        complete(made, code == Code.NODEEXISTS.intValue() ? 0 : code, node, null),
                null);
        return made;
    }

    private static <T> void complete(CompletableFuture<T> answer, int code, String path, @Nullable T value) {
        if (code == 0) {
            answer.complete(value);
        } else {
            answer.completeExceptionally(failure(code, path));
        }
    }

    // ---- lists ----

    /** The paths of all files that begin with the prefix, sorted. Each question to ZooKeeper is an attempt of its own. */
    CompletableFuture<List<String>> list(String prefix, Attempts attempts) {
        return paths(tree.files(), prefix, attempts);
    }

    /** The paths of all deleted files whose names are still kept, sorted. */
    CompletableFuture<List<String>> listDeleted(Attempts attempts) {
        return paths(tree.deleted(), "", attempts);
    }

    private CompletableFuture<List<String>> paths(String top, String prefix, Attempts attempts) {
        String only = NameTree.folderOfPrefix(prefix);
        CompletableFuture<List<String>> folders =
                only == null ? attempts.run("list " + prefix, () -> children(top)) : done(List.of(only));
        List<String> found = new ArrayList<>();
        return folders.thenCompose(names -> Windowed.map(
                        names, 1, folder -> inFolder(top, folder, attempts).thenAccept(found::addAll)))
                .thenApply(all -> found.stream()
                        .filter(path -> path.startsWith(prefix))
                        .sorted()
                        .toList());
    }

    private CompletableFuture<List<String>> inFolder(String top, String folder, Attempts attempts) {
        String node = top + "/" + folder;
        return attempts.run("list " + folder, () -> children(node))
                .thenCompose(buckets -> Windowed.map(
                        buckets, WINDOW, bucket -> attempts.run("list " + folder, () -> children(node + "/" + bucket))))
                .thenApply(lists -> lists.stream()
                        .flatMap(List::stream)
                        .map(leaf -> NameTree.path(folder, leaf))
                        .toList());
    }

    /** Of a node that is not there: none. */
    private CompletableFuture<List<String>> children(String node) {
        CompletableFuture<List<String>> answer = new CompletableFuture<>();
        zooKeeper.getChildren(
                node,
                false,
                (int code, String path, Object context, List<String> children) -> {
                    boolean isMissing = code == Code.NONODE.intValue();
                    complete(answer, isMissing ? 0 : code, node, isMissing ? List.of() : children);
                },
                null);
        return answer;
    }

    // ---- the sweep ----

    /** The ledger of a deleted file is gone; its name stays. */
    CompletableFuture<Void> dropLedger(String path, Name deleted) {
        return set(tree.deleted(path), deleted.withoutLedger().data(), deleted.version())
                .thenAccept(stat -> {});
    }

    /** Forgets a deleted path. */
    CompletableFuture<Void> forget(String path, Name deleted) {
        CompletableFuture<Void> forgotten = new CompletableFuture<>();
        zooKeeper.delete(
                tree.deleted(path),
                deleted.version(),
                (code, node, context) -> complete(forgotten, code, path, null),
                null);
        return forgotten;
    }

    /** How often a sweep has begun. */
    CompletableFuture<Integer> sweepsBegun() {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        zooKeeper.exists(
                tree.sweep(),
                false,
                (code, node, context, stat) -> {
                    boolean isMissing = code == Code.NONODE.intValue();
                    complete(answer, isMissing ? 0 : code, node, isMissing ? ANY_VERSION : stat.getVersion());
                },
                null);
        return answer;
    }

    /**
     * Begins a sweep, unless another was begun since. Answers ZooKeeper's own time, to which the ages of nodes are compared, so that no
     * machine's clock but ZooKeeper's matters.
     */
    CompletableFuture<Long> beginSweep(int begun) {
        return begun == ANY_VERSION
                ? make(tree.root())
                        .thenCompose(done -> make(tree.sweep()))
                        .thenCompose(done -> set(tree.sweep(), NOTHING, 0).thenApply(Stat::getMtime))
                : set(tree.sweep(), NOTHING, begun).thenApply(Stat::getMtime);
    }

    private CompletableFuture<Stat> set(String node, byte[] data, int version) {
        CompletableFuture<Stat> answer = new CompletableFuture<>();
        zooKeeper.setData(node, data, version, (code, path, context, stat) -> complete(answer, code, node, stat), null);
        return answer;
    }

    private static <T> CompletableFuture<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }
}
