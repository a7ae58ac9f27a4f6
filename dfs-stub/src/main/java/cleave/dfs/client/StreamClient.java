package cleave.dfs.client;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.Retries;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.Failures;
import cleave.dfs.link.NodeLink;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.state.ExtentPlace;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand;
import cleave.dfs.state.Paths;
import cleave.model.Readiness;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/**
 * The DFS client of a node: names, seals and reads; {@link FileWriter} writes. Thread-safe through its loop.
 *
 * <p>A seal has three steps: the file is marked; its extent is fenced; the fenced length is recorded, and the first
 * record counts. Any client can repeat each step, so the next seal completes an interrupted one. The node takes all three
 * steps at the first, unless the extent is busy or damaged.
 */
public final class StreamClient implements Dfs {
    /**
     * The surroundings of a client's core.
     *
     * @param whenClosed releases what the client runs on
     */
    public record Outside(EventLoop loop, NodeLink link, Random random, DfsMetrics metrics, Runnable whenClosed) {}

    private static final long SPACE_NANOS = 1_000_000_000;

    private final EventLoop loop;
    private final NodeLink link;
    private final Random random;
    private final ClientLimits limits;
    private final DfsMetrics metrics;
    private final Retries retries;
    private final Connection connection;
    private final FileReader reader;
    private final Batcher<NamesCommand, NamesAnswer> names;
    private final Runnable whenClosed;
    private volatile Space space = Space.ROOMY;
    private volatile boolean closed;

    private StreamClient(ClientLimits limits, Outside outside) {
        this.loop = outside.loop();
        this.link = outside.link();
        this.random = outside.random();
        this.limits = limits;
        this.metrics = outside.metrics();
        this.whenClosed = outside.whenClosed();
        Backoff backoff = new Backoff(limits.retryNanosMin(), limits.retryNanosMax());
        IntToLongFunction pauseNanos = failures -> backoff.nanos(failures + 1, random);
        this.retries = new Retries(loop, limits.boundNanos(), pauseNanos);
        this.connection = new Connection(loop, link, pauseNanos, limits, metrics);
        this.reader = new FileReader(link, limits.pieceBytes());
        this.names = new Batcher<>(loop, commands -> atNode(node -> link.names(node, commands)));
    }

    /** Wires a client's core, in every environment, and starts it in its loop. */
    public static StreamClient of(ClientLimits limits, Outside outside) {
        StreamClient client = new StreamClient(limits, outside);
        outside.loop().submit(client::start);
        return client;
    }

    private void start() {
        connection.start(() -> has(space == Space.ROOMY ? Space.LOW : space));
        askForSpace();
    }

    /** A node that does not answer is assumed to have the same space as before. */
    private void askForSpace() {
        if (closed) {
            return;
        }
        link.space().whenComplete((now, failure) -> loop.submit(() -> has(now == null ? space : now)));
        loop.schedule(SPACE_NANOS, this::askForSpace);
    }

    private void has(Space now) {
        space = now;
        metrics.clientSpace(space.level());
        connection.nodeIsFull(now == Space.FULL);
    }

    @Override
    public Space space() {
        return space;
    }

    @Override
    public CompletableFuture<DfsFile> create(String path) {
        long[] token = {0}; // One for all attempts, so that a repeated command is not taken for a second creator.
        return checked(
                path,
                () -> retries.run(
                        "create " + path,
                        () -> inside(() -> {
                            token[0] = token[0] == 0 ? random.nextLong() : token[0];
                            return create(path, token[0]);
                        }),
                        DfsFile::close));
    }

    private CompletableFuture<DfsFile> create(String path, long token) {
        return names.ask(new NamesCommand.CreateFile(path, token)).thenApply(answer -> {
            FileEntry file = answer.file();
            if (answer.outcome() != Outcome.DONE || file == null) {
                throw new DfsException(Reason.EXISTS, path);
            }
            long extent = file.last().id();
            FileWriter writer =
                    new FileWriter(path, extent, loop, connection, this::seal, limits.pieceBytes(), metrics);
            connection.writes(writer, extent);
            return writer;
        });
    }

    @Override
    public CompletableFuture<Long> seal(String path) {
        return checked(path, () -> retried("seal " + path, () -> sealOnce(path)));
    }

    private CompletableFuture<Long> sealOnce(String path) {
        return names.ask(new NamesCommand.MarkSealing(path)).thenCompose(marked -> {
            FileEntry file = marked.file();
            if (marked.outcome() != Outcome.SEALING || file == null) {
                metrics.clientSeal();
                return CompletableFuture.completedFuture(sealedLength(path, marked));
            }
            return fenceAndRecord(path, file.last());
        });
    }

    private CompletableFuture<Long> fenceAndRecord(String path, ExtentPlace last) {
        return inside(() -> atNode(node -> link.fence(node, List.of(last.id()))))
                .thenCompose(fenced -> {
                    long length = FileReader.length(path, fenced.get(0), Reason.DELETED);
                    return names.ask(new NamesCommand.RecordSealed(path, last.id(), length));
                })
                .thenApply(recorded -> {
                    metrics.clientSeal();
                    return sealedLength(path, recorded);
                });
    }

    private static long sealedLength(String path, NamesAnswer answer) {
        FileEntry file = answer.file();
        if (answer.outcome() == Outcome.SEALED && file != null) {
            return file.sealedLength();
        }
        throw new DfsException(answer.outcome() == Outcome.DELETED ? Reason.DELETED : Reason.UNAVAILABLE, path);
    }

    private <T> CompletableFuture<T> atNode(Function<String, CompletableFuture<T>> call) {
        String node = connection.node();
        return node == null
                ? unavailable("no node was reached yet (" + connection.lastFailure() + ")")
                : call.apply(node);
    }

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        if (offset < 0 || length < 0) {
            return invalid("read of " + length + " bytes at " + offset);
        }
        return checked(
                path, () -> retried("read " + path, () -> atNode(node -> reader.read(node, path, offset, length))));
    }

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        return checked(path, () -> retried("stat " + path, () -> atNode(node -> reader.stat(node, path))));
    }

    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        return retried("list " + prefix, () -> atNode(node -> reader.list(node, prefix)));
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        return checked(path, () -> retried("delete " + path, () -> deleteOnce(path)));
    }

    private CompletableFuture<Void> deleteOnce(String path) {
        return names.ask(new NamesCommand.DeleteFile(path)).thenCompose(deleted -> {
            FileEntry file = deleted.file();
            return file == null || file.extents().isEmpty() ? CompletableFuture.completedFuture(null) : drop(file);
        });
    }

    private CompletableFuture<Void> drop(FileEntry file) {
        List<Long> extents = file.extents().stream().map(ExtentPlace::id).toList();
        return inside(() -> atNode(node -> link.drop(node, extents)))
                .thenCompose(status -> status == ExtentStatus.OK
                        ? names.ask(new NamesCommand.FinishDelete(file.path()))
                        : unavailable("the node that holds " + file.path() + " is not there"))
                .thenAccept(finished -> {});
    }

    private <T> CompletableFuture<T> retried(String what, Supplier<CompletableFuture<T>> attempt) {
        return retries.run(what, () -> inside(attempt));
    }

    /** A call that begins, and completes, inside the loop. */
    private <T> CompletableFuture<T> inside(Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> answered = new CompletableFuture<>();
        loop.submit(() -> call.get()
                .whenComplete((answer, failure) -> loop.submit(() -> {
                    if (failure == null) {
                        answered.complete(answer);
                    } else {
                        answered.completeExceptionally(failure);
                    }
                })));
        return answered;
    }

    @Override
    public CompletableFuture<Readiness> probe() {
        CompletableFuture<Readiness> result = new CompletableFuture<>();
        loop.submit(() -> {
            String stranger = connection.stranger();
            if (stranger != null) { // Which would answer a probe, too.
                result.complete(Readiness.missing("the DFS cannot take appends: node " + connection.node()
                        + " is not at its address, another disk is: " + stranger));
                return;
            }
            EventLoop.Timer late = loop.schedule(
                    limits.boundNanos() / 4, () -> result.complete(Readiness.missing("the DFS does not answer")));
            link.probe().whenComplete((nothing, failure) -> {
                late.cancel();
                result.complete(failure == null ? Readiness.READY : missing(failure));
            });
        });
        return result;
    }

    private static Readiness missing(Throwable failure) {
        return Readiness.missing(
                "the DFS cannot take appends: " + Failures.cause(failure).getMessage());
    }

    @Override
    public void close() {
        closed = true;
        loop.submit(() -> {
            retries.close();
            connection.close();
        });
        link.close();
        whenClosed.run();
    }

    private static <T> CompletableFuture<T> checked(String path, Supplier<CompletableFuture<T>> call) {
        return Paths.isWellFormed(path) ? call.get() : invalid("malformed path '" + path + "'");
    }

    private static <T> CompletableFuture<T> invalid(String why) {
        return CompletableFuture.failedFuture(new DfsException(Reason.INVALID, why));
    }

    private static <T> CompletableFuture<T> unavailable(String why) {
        return CompletableFuture.failedFuture(new DfsException(Reason.UNAVAILABLE, why));
    }
}
