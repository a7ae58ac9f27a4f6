package cleave.chaos.sim.dfs;

import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.policy.NameTrust;
import cleave.dfs.policy.NameTrust.Moment;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** One process's access to the simulated DFS. Requests that it sent before it died may still arrive. */
final class SimDfsClient implements Dfs {
    private static final String READ = "read";
    private static final long PATIENCE_NANOS = 4_000_000_000L;

    private final World world;
    private final SimDfs dfs;
    private final SimProcess process;
    /** Files that this process created. */
    private final TreeSet<String> created = new TreeSet<>();
    /** The lengths of files that this process knows. */
    private final TreeMap<String, Long> known = new TreeMap<>();

    private boolean closed;

    SimDfsClient(World world, SimDfs dfs, SimProcess process) {
        this.world = world;
        this.dfs = dfs;
        this.process = process;
    }

    boolean isClosed() {
        return closed;
    }

    static DfsException failure(Reason reason, String path) {
        return new DfsException(reason, path);
    }

    /** Completes an answer like a completed result. */
    static <T> Runnable completion(CompletableFuture<T> answer, CompletableFuture<T> result) {
        return () -> result.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(failure instanceof CompletionException ? failure.getCause() : failure);
            }
        });
    }

    private <T> CompletableFuture<T> call(
            String what, String path, long extraNanos, Supplier<CompletableFuture<T>> atDfs) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (closed) {
            answer.completeExceptionally(failure(Reason.BROKEN, "the DFS was closed"));
            return answer;
        }
        process.deliver(
                PATIENCE_NANOS, () -> answer.completeExceptionally(failure(Reason.UNAVAILABLE, path + " in time")));
        boolean unavailable = dfs.random().nextDouble() < dfs.faultRates().unavailable();
        boolean executed = !unavailable || dfs.random().nextBoolean();
        ask(
                what,
                path,
                () -> world.after(extraNanos, () -> {
                    CompletableFuture<T> result = new CompletableFuture<>();
                    boolean reached = dfs.hasNames() || what.equals(READ);
                    if (executed && reached) {
                        world.note(process.node(), what + "s", path);
                        result = atDfs.get();
                    }
                    if (unavailable || !reached) {
                        result = CompletableFuture.failedFuture(failure(Reason.UNAVAILABLE, path));
                    }
                    reply(what, path, completion(answer, result));
                }));
        return answer;
    }

    /** Sends a request to the DFS. */
    void ask(String what, String path, Runnable atDfs) {
        long sent = world.now();
        world.after(delayToDfs(), () -> arrive(process.node(), SimDfs.NODE, () -> request(sent, what, path, atDfs)));
    }

    /** Handles a request that has arrived at the DFS. */
    void request(long sentNanos, String what, String path, Runnable atDfs) {
        world.carry(sentNanos, () -> Message.request(process.node(), SimDfs.NODE, what, path), atDfs);
    }

    /** Sends an answer of the DFS, which may overtake others. */
    void reply(String what, String told, Runnable end) {
        replyAt(world.now() + delayFromDfs(), what, told, end);
    }

    /** Delivers an answer of the DFS at this time. */
    void replyAt(long nanos, String what, String told, Runnable end) {
        long sent = world.now();
        world.at(
                nanos,
                () -> arrive(
                        SimDfs.NODE,
                        process.node(),
                        () -> world.carry(
                                sent,
                                () -> Message.answer(SimDfs.NODE, process.node(), what, told),
                                () -> process.run(end))));
    }

    long delayToDfs() {
        return world.network().delay(process.node(), SimDfs.NODE);
    }

    long delayFromDfs() {
        return world.network().delay(SimDfs.NODE, process.node());
    }

    /** Runs at once, or as soon as the connection is not blocked. */
    private void arrive(String from, String to, Runnable arrival) {
        if (world.network().isBlocked(from, to)) {
            world.after(blockedNanos(), () -> arrive(from, to, arrival));
        } else {
            arrival.run();
        }
    }

    /** The interval of retries on a blocked connection. */
    long blockedNanos() {
        return 20_000_000L + dfs.random().nextInt(100_000_000);
    }

    /** The clocks of its process. */
    Moment moment() {
        return new Moment(process.clock().nanos(), process.clock().ticks());
    }

    /** Runs an event in its process a little later. */
    void soon(Runnable event) {
        process.deliver(20_000_000L + dfs.random().nextInt(50_000_000), event);
    }

    /** Asks the names whether a file of its process exists, for a handle. */
    CompletableFuture<Boolean> exists(String path) {
        return call(
                "look-up",
                path,
                0,
                () -> CompletableFuture.completedFuture(dfs.files().exists(path)));
    }

    @Override
    public CompletableFuture<DfsFile> create(String path) {
        Moment sent = moment();
        return call(
                "create",
                path,
                0,
                () -> dfs.create(path).thenApply(file -> {
                    created.add(path);
                    NameTrust trust = new NameTrust(dfs.fences(), sent);
                    return new SimDfsFile(world, dfs, this, process, file, trust);
                }));
    }

    @Override
    public CompletableFuture<Long> seal(String path) {
        boolean slow = dfs.random().nextDouble() < dfs.faultRates().slowSeal();
        long extra = slow ? (long) (dfs.random().nextDouble() * 3e9) : 0;
        return call(
                        "seal",
                        path,
                        extra,
                        () -> created.contains(path) && !dfs.exists(path)
                                ? CompletableFuture.<Long>failedFuture(failure(Reason.DELETED, path))
                                : dfs.seal(path))
                .thenApply(length -> {
                    known.put(path, length);
                    return length;
                });
    }

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        return call(READ, path, 0, () -> dfs.read(path, offset, length, known.getOrDefault(path, 0L)));
    }

    private FileInfo learnt(FileInfo file) {
        known.merge(file.path(), file.length(), Math::max);
        return file;
    }

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        return call("stat", path, 0, () -> dfs.files().stat(path)).thenApply(this::learnt);
    }

    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        return call("list", prefix, 0, () -> dfs.list(prefix)).thenApply(found -> {
            found.stream().filter(FileInfo::sealed).forEach(this::learnt);
            return found;
        });
    }

    @Override
    public long barriersPerFile() {
        return dfs.barriersPerFile();
    }

    @Override
    public Space space() {
        return dfs.files().space();
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        return call("delete", path, 0, () -> dfs.delete(path, process));
    }

    @Override
    public void close() {
        closed = true;
    }
}
