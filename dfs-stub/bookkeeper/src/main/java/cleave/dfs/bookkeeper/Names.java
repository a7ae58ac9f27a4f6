package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.Retries;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.NameTree;
import cleave.dfs.bookkeeper.state.Sweeps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The names of files, in ZooKeeper; {@link NameTree} defines where. Thread-safe. A change is one transaction over a path's two nodes, so a
 * path is never both a file and deleted, and of two creators one wins. A call that ZooKeeper did not answer fails with UNAVAILABLE, and may
 * have been executed.
 */
final class Names {
    private static final byte[] NOTHING = {};
    private static final int ANY_VERSION = -1;
    private static final int WINDOW = 32;

    private final ZooKeeper zooKeeper;
    private final NameTree tree;
    private final String ledgersPath;
    private final Barrier<Long> barrier = new Barrier<>(this::changeNothing);

    /** @param ledgersPath the node under which BookKeeper keeps the metadata of ledgers, in the same ZooKeeper */
    Names(ZooKeeper zooKeeper, NameTree tree, String ledgersPath) {
        this.zooKeeper = zooKeeper;
        this.tree = tree;
        this.ledgersPath = ledgersPath;
    }

    /** The kept name of a deleted file, and the change that deleted it. */
    record Tombstone(Name name, long zxid) {}

    /** The known sweeps, and the version of their node. */
    record Begun(Sweeps sweeps, int version) {}

    private static DfsException failure(int code, String path) {
        return new DfsException(
                code == Code.NODEEXISTS.intValue() ? Reason.EXISTS : Reason.UNAVAILABLE,
                path + ": ZooKeeper answers " + Code.get(code));
    }

    /** The name of a path; ABSENT if there is none. */
    CompletableFuture<Name> look(String path) {
        return read(tree.file(path), path)
                .thenCompose(file -> file.name().isFile() ? done(file.name()) : lookBehind(path));
    }

    private CompletableFuture<Name> lookBehind(String path) {
        return read(tree.deleted(path), path).thenApply(Tombstone::name);
    }

    /** The same, with all that was done before this call. */
    CompletableFuture<Name> lookAtNewest(String path) {
        return newest(() -> look(path));
    }

    /**
     * Asks with all changes before this call, by any client; without it a server of ZooKeeper that lags behind may answer. The question may
     * consist of several, one after the other.
     */
    <T> CompletableFuture<T> newest(Supplier<CompletableFuture<T>> question) {
        return barrier.pass()
                .thenCompose(session -> question.get().thenCompose(answer -> sameSession(session, answer)));
    }

    /** A new session does not know how far the old one has seen. */
    private <T> CompletableFuture<T> sameSession(long session, T answer) {
        return zooKeeper.getSessionId() == session
                ? done(answer)
                : Failures.failed(Reason.UNAVAILABLE, "the session of ZooKeeper was renewed");
    }

    /**
     * A majority agrees to this as to any change, and later reads of the session are not older. {@code sync} would not suffice: a
     * leader that does not know yet that it was replaced answers that, too.
     */
    private CompletableFuture<Long> changeNothing() {
        long session = zooKeeper.getSessionId();
        CompletableFuture<Long> agreed = new CompletableFuture<>();
        zooKeeper.multi(
                List.of(Op.check(tree.root(), ANY_VERSION)),
                (code, node, context, results) ->
                        complete(agreed, code == Code.NONODE.intValue() ? 0 : code, tree.root(), session),
                null);
        return agreed;
    }

    /** The tombstone of a path; ABSENT if there is none. */
    CompletableFuture<Tombstone> tombstone(String path) {
        return read(tree.deleted(path), path);
    }

    private CompletableFuture<Tombstone> read(String node, String path) {
        CompletableFuture<Tombstone> answer = new CompletableFuture<>();
        zooKeeper.getData(
                node,
                false,
                (code, where, context, data, stat) -> {
                    if (code == Code.NONODE.intValue()) {
                        answer.complete(new Tombstone(Name.ABSENT, 0));
                    } else if (code != 0) {
                        answer.completeExceptionally(failure(code, path));
                    } else {
                        complete(
                                answer,
                                path,
                                () -> new Tombstone(Name.parse(data, stat.getVersion()), stat.getCzxid()));
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

    /**
     * Gives a path that never was one its first name; EXISTS if it is taken, or was, or if the ledger does not exist any more. The ledger of
     * a deleted file is gone before its tombstone is, so a create that comes late, however late, is refused by one or the other.
     */
    CompletableFuture<Void> create(String path, Name name) {
        List<Op> operations = new ArrayList<>(proofOfAbsence(tree.deleted(path)));
        operations.add(Op.create(tree.file(path), name.data(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        if (name.hasLedger()) {
            operations.add(Op.check(Ledgers.node(ledgersPath, name.ledger()), ANY_VERSION));
        }
        return change(path, operations);
    }

    /** ZooKeeper has no check that a node is absent. */
    private static List<Op> proofOfAbsence(String node) {
        return List.of(
                Op.create(node, NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT), Op.delete(node, ANY_VERSION));
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
                    if (code == Code.NONODE.intValue() && operations.get(failed(results)) instanceof Op.Check) {
                        changed.completeExceptionally(
                                new DfsException(Reason.EXISTS, path + ": what it was to name is gone"));
                    } else if (code == Code.NONODE.intValue()) {
                        // It is most likely the first name of its bucket. If a node was deleted meanwhile, the caller
                        // looks again.
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

    /** The index of the operation of a transaction that failed. */
    private static int failed(List<OpResult> results) {
        int first = 0;
        while (first < results.size() - 1
                && results.get(first) instanceof ErrorResult error
                && error.getErr() == Code.OK.intValue()) {
            first++;
        }
        return first;
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

    /**
     * The paths of all files that begin with the prefix, sorted, with all that was done before this call. Each request to ZooKeeper is a
     * separate attempt.
     */
    CompletableFuture<List<String>> list(String prefix, Retries retries) {
        return retries.run("list " + prefix, barrier::pass)
                .thenCompose(session ->
                        paths(tree.files(), prefix, retries).thenCompose(paths -> sameSession(session, paths)));
    }

    private CompletableFuture<List<String>> paths(String top, String prefix, Retries retries) {
        String only = NameTree.folderOfPrefix(prefix);
        CompletableFuture<List<String>> folders =
                only == null ? retries.run("list " + prefix, () -> children(top)) : done(List.of(only));
        List<String> found = new ArrayList<>();
        return folders.thenCompose(names -> Windowed.map(
                        names, 1, folder -> inFolder(top, folder, retries).thenAccept(found::addAll)))
                .thenApply(all -> found.stream()
                        .filter(path -> path.startsWith(prefix))
                        .sorted()
                        .toList());
    }

    private CompletableFuture<List<String>> inFolder(String top, String folder, Retries retries) {
        String node = top + "/" + folder;
        return retries.run("list " + folder, () -> children(node))
                .thenCompose(buckets -> Windowed.map(
                        buckets,
                        WINDOW,
                        bucket -> retries.run("list " + folder, () -> children(node + "/" + bucket))
                                .thenApply(leaves -> paths(folder, leaves))))
                .thenApply(lists -> lists.stream().flatMap(List::stream).toList());
    }

    private static List<String> paths(String folder, List<String> leaves) {
        return leaves.stream().map(leaf -> NameTree.path(folder, leaf)).toList();
    }

    /** The children of a node; none if it does not exist. */
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

    /**
     * A bucket of {@link NameTree}, which one answer of ZooKeeper holds.
     *
     * @param names how many there are in it
     */
    record Bucket(String folder, String node, int names) {}

    /** The buckets of files. */
    CompletableFuture<List<Bucket>> buckets(Retries retries) {
        return buckets(tree.files(), retries);
    }

    /** The buckets of deleted files whose names are still kept. */
    CompletableFuture<List<Bucket>> bucketsOfDeleted(Retries retries) {
        return buckets(tree.deleted(), retries);
    }

    /** Asks for no names: a bucket that has grown beyond an answer is found as well. */
    private CompletableFuture<List<Bucket>> buckets(String top, Retries retries) {
        List<Bucket> found = new ArrayList<>();
        return retries.run("sweep " + top, () -> children(top))
                .thenCompose(folders -> Windowed.map(
                        folders, 1, folder -> bucketsIn(top, folder, retries).thenAccept(found::addAll)))
                .thenApply(all -> found);
    }

    private CompletableFuture<List<Bucket>> bucketsIn(String top, String folder, Retries retries) {
        String node = top + "/" + folder;
        return retries.run("sweep " + node, () -> children(node))
                .thenCompose(buckets -> Windowed.map(
                        buckets,
                        WINDOW,
                        bucket -> retries.run(
                                "sweep " + node + "/" + bucket, () -> bucket(folder, node + "/" + bucket))));
    }

    private CompletableFuture<Bucket> bucket(String folder, String node) {
        CompletableFuture<Bucket> answer = new CompletableFuture<>();
        zooKeeper.exists(
                node,
                false,
                (code, path, context, stat) -> complete(
                        answer,
                        code == Code.NONODE.intValue() ? 0 : code,
                        node,
                        new Bucket(folder, node, stat == null ? 0 : stat.getNumChildren())),
                null);
        return answer;
    }

    CompletableFuture<List<String>> pathsIn(Bucket bucket, Retries retries) {
        return retries.run("sweep " + bucket.node(), () -> children(bucket.node()))
                .thenApply(leaves -> paths(bucket.folder(), leaves));
    }

    /**
     * Deletes a ledger that a path does not name, together with the proof that it still does not; whether there was such a proof. A create that
     * names the ledger afterwards is refused. UNAVAILABLE if the ledger has changed since it was looked at.
     *
     * @param name of the path, as it was looked at
     * @param version of the ledger's metadata, likewise
     */
    CompletableFuture<Boolean> deleteUnnamed(String path, Name name, long ledger, int version) {
        List<Op> operations = new ArrayList<>(
                switch (name.kind()) {
                    case ABSENT -> proofOfAbsence(tree.file(path));
                    case DELETED, DELETED_FENCED -> List.of(Op.check(tree.deleted(path), name.version()));
                    case WRITTEN, SEALED, TAKEN_OVER, EMPTY -> List.of(Op.check(tree.file(path), name.version()));
                });
        operations.add(Op.delete(Ledgers.node(ledgersPath, ledger), version));
        return Failures.recover(
                change(path, operations).thenApply(done -> true),
                failure -> Failures.is(failure, Reason.EXISTS),
                () -> done(false));
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

    /** The times at which sweeps have begun. */
    CompletableFuture<Begun> sweeps() {
        CompletableFuture<Begun> answer = new CompletableFuture<>();
        zooKeeper.getData(
                tree.sweep(),
                false,
                (code, node, context, data, stat) -> {
                    if (code == Code.NONODE.intValue()) {
                        answer.complete(new Begun(Sweeps.NONE, ANY_VERSION));
                    } else if (code != 0) {
                        answer.completeExceptionally(failure(code, node));
                    } else {
                        complete(answer, node, () -> begun(Sweeps.parse(data), stat));
                    }
                },
                null);
        return answer;
    }

    /** A node that was only created stands for no sweep yet. */
    private static Begun begun(Sweeps earlier, Stat stat) {
        return new Begun(stat.getVersion() == 0 ? earlier : earlier.with(stat.getMzxid()), stat.getVersion());
    }

    /** Begins a sweep, unless another was begun since. */
    CompletableFuture<Begun> beginSweep(Begun seen) {
        CompletableFuture<Void> there = seen.version() == ANY_VERSION
                ? make(tree.root()).thenCompose(done -> make(tree.sweep()))
                : CompletableFuture.completedFuture(null);
        return there.thenCompose(done -> set(tree.sweep(), seen.sweeps().data(), Math.max(0, seen.version())))
                .thenApply(stat -> begun(seen.sweeps(), stat));
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
