package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.Retries;
import cleave.dfs.bookkeeper.Nodes.Node;
import cleave.dfs.bookkeeper.Nodes.Refused;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.NameTree;
import cleave.dfs.bookkeeper.state.Sweeps;
import cleave.runtime.loop.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.Stat;

/**
 * The names of files, in ZooKeeper; {@link NameTree} defines where. Thread-safe. A change is one transaction over a path's two nodes, so a
 * path is never both a file and deleted, and of two creators one wins. A call that ZooKeeper did not answer fails with UNAVAILABLE, and may
 * have been executed.
 */
final class Names {
    private static final byte[] NOTHING = {};
    private static final int WINDOW = 32;

    private final Nodes nodes;
    private final NameTree tree;
    private final String ledgersPath;
    private final Barrier<Long> barrier;

    /** @param ledgersPath the node under which BookKeeper keeps the metadata of ledgers, in the same ZooKeeper */
    Names(Nodes nodes, NameTree tree, String ledgersPath, EventLoop timers) {
        this.nodes = nodes;
        this.tree = tree;
        this.ledgersPath = ledgersPath;
        this.barrier = new Barrier<>(this::changeNothing, timers);
    }

    /** The kept name of a deleted file, and the change that deleted it. */
    record Tombstone(Name name, long zxid) {}

    /** The known sweeps, and the version of their node. */
    record Begun(Sweeps sweeps, int version) {}

    /** The answer, or its refusal in the contract's terms. */
    private static <T> CompletableFuture<T> asked(String path, CompletableFuture<T> answer) {
        return answer.exceptionallyCompose(failure -> Failures.failed(
                Refused.is(failure, Code.NODEEXISTS) ? Reason.EXISTS : Reason.UNAVAILABLE,
                path + ": " + Failures.cause(failure).getMessage()));
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
        return nodes.session() == session
                ? done(answer)
                : Failures.failed(Reason.UNAVAILABLE, "the session of ZooKeeper was renewed");
    }

    /**
     * A majority agrees to this as to any change, and later reads of the session are not older. {@code sync} would not suffice: a
     * leader that does not know yet that it was replaced answers that, too.
     */
    private CompletableFuture<Long> changeNothing() {
        long session = nodes.session();
        CompletableFuture<Void> agreed = Failures.recover(
                nodes.change(List.of(Op.check(tree.root(), Nodes.ANY_VERSION))),
                failure -> Refused.is(failure, Code.NONODE),
                () -> CompletableFuture.completedFuture(null));
        return asked(tree.root(), agreed).thenApply(nothing -> session);
    }

    /** The tombstone of a path; ABSENT if there is none. */
    CompletableFuture<Tombstone> tombstone(String path) {
        return read(tree.deleted(path), path);
    }

    private CompletableFuture<Tombstone> read(String node, String path) {
        return parsed(
                path,
                nodes.get(node),
                found -> found.map(at -> new Tombstone(
                                Name.parse(at.data(), at.stat().getVersion()),
                                at.stat().getCzxid()))
                        .orElse(new Tombstone(Name.ABSENT, 0)));
    }

    private static <T> CompletableFuture<T> parsed(
            String path, CompletableFuture<Optional<Node>> answer, Function<Optional<Node>, T> form) {
        return asked(path, answer).thenApply(found -> {
            try {
                return form.apply(found);
            } catch (IllegalArgumentException foreign) {
                throw new DfsException(Reason.DAMAGED, path + ": " + foreign.getMessage(), foreign);
            }
        });
    }

    /**
     * Gives a path that never was one its first name; EXISTS if it is taken, or was, or if the ledger does not exist any more. The ledger of
     * a deleted file is gone before its tombstone is, so a create that comes late, however late, is refused by one or the other.
     */
    CompletableFuture<Void> create(String path, Name name) {
        List<Op> operations = new ArrayList<>(proofOfAbsence(tree.deleted(path)));
        operations.add(create(tree.file(path), name.data()));
        if (name.hasLedger()) {
            operations.add(Op.check(Ledgers.node(ledgersPath, name.ledger()), Nodes.ANY_VERSION));
        }
        return change(path, operations);
    }

    /** ZooKeeper has no check that a node is absent. */
    private static List<Op> proofOfAbsence(String node) {
        return List.of(create(node, NOTHING), Op.delete(node, Nodes.ANY_VERSION));
    }

    /** Marks a file's name; UNAVAILABLE if it has changed since it was looked at. */
    CompletableFuture<Name> mark(String path, Name old, Name.Kind kind) {
        return asked(path, nodes.set(tree.file(path), old.as(kind).data(), old.version()))
                .thenApply(stat -> new Name(kind, old.ledger(), stat.getVersion()));
    }

    /** Replaces a name by that of a deleted file; UNAVAILABLE if it has changed since it was looked at. */
    CompletableFuture<Void> bury(String path, Name old, Name.Kind kind) {
        String file = tree.file(path);
        List<Op> operations = new ArrayList<>();
        if (old.kind() == Name.Kind.ABSENT) {
            operations.add(create(file, NOTHING));
        }
        operations.add(Op.delete(file, old.kind() == Name.Kind.ABSENT ? Nodes.ANY_VERSION : old.version()));
        operations.add(create(tree.deleted(path), old.as(kind).data()));
        return Failures.recover(
                change(path, operations),
                failure -> Failures.is(failure, Reason.EXISTS),
                () -> Failures.failed(Reason.UNAVAILABLE, path + " has changed meanwhile"));
    }

    private CompletableFuture<Void> change(String path, List<Op> operations) {
        return nodes.change(operations).exceptionallyCompose(failure -> {
            if (!Refused.is(failure, Code.NONODE)) {
                return asked(path, CompletableFuture.failedFuture(failure));
            }
            int refused = ((Refused) Failures.cause(failure)).operation();
            return operations.get(refused) instanceof Op.Check
                    ? Failures.failed(Reason.EXISTS, path + ": what it was to name is gone")
                    // It is most likely the first name of its bucket. If a node was deleted meanwhile, the caller looks
                    // again.
                    : makeParents(path)
                            .thenCompose(made -> Failures.failed(Reason.UNAVAILABLE, path + " has a new place"));
        });
    }

    private CompletableFuture<Void> makeParents(String path) {
        return Windowed.map(tree.parents(path), 1, this::make).thenApply(made -> null);
    }

    private CompletableFuture<Void> make(String node) {
        return Failures.recover(
                asked(node, nodes.change(List.of(create(node, NOTHING)))),
                failure -> Failures.is(failure, Reason.EXISTS),
                () -> CompletableFuture.completedFuture(null));
    }

    private static Op create(String node, byte[] data) {
        return Op.create(node, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
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

    private CompletableFuture<List<String>> children(String node) {
        return asked(node, nodes.children(node));
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
        return asked(node, nodes.get(node))
                .thenApply(found -> new Bucket(
                        folder,
                        node,
                        found.map(at -> at.stat().getNumChildren()).orElse(0)));
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
        return asked(path, nodes.change(List.of(Op.delete(tree.deleted(path), deleted.version()))));
    }

    /** The times at which sweeps have begun. */
    CompletableFuture<Begun> sweeps() {
        return parsed(
                tree.sweep(),
                nodes.get(tree.sweep()),
                found -> found.map(at -> begun(Sweeps.parse(at.data()), at.stat()))
                        .orElse(new Begun(Sweeps.NONE, Nodes.ANY_VERSION)));
    }

    /** A node that was only created stands for no sweep yet. */
    private static Begun begun(Sweeps earlier, Stat stat) {
        return new Begun(stat.getVersion() == 0 ? earlier : earlier.with(stat.getMzxid()), stat.getVersion());
    }

    /** Begins a sweep, unless another was begun since. */
    CompletableFuture<Begun> beginSweep(Begun seen) {
        CompletableFuture<Void> there = seen.version() == Nodes.ANY_VERSION
                ? make(tree.root()).thenCompose(done -> make(tree.sweep()))
                : CompletableFuture.completedFuture(null);
        return there.thenCompose(done -> asked(
                        tree.sweep(), nodes.set(tree.sweep(), seen.sweeps().data(), Math.max(0, seen.version()))))
                .thenApply(stat -> begun(seen.sweeps(), stat));
    }

    private static <T> CompletableFuture<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }
}
