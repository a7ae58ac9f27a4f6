package cleave.dfs.node;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.Failures;
import cleave.dfs.link.NodeLink;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesCommand;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The link to a node in this process, for its clients and its service: passes calls from any thread to the node's loop.
 * Thread-safe.
 */
public final class CoreLink implements NodeLink {
    private final String node;
    private final EventLoop loop;
    private final NodeCore core;

    public CoreLink(NodeCore core) {
        this.node = core.self().id();
        this.loop = core.outside().loop();
        this.core = core;
    }

    /** The core behind it, for the shell of the node. */
    public NodeCore core() {
        return core;
    }

    @Override
    public void connect(Events events) {
        events.connected(node, new Session() {
            @Override
            public void append(Append append) {
                loop.submit(() -> core.append(events, append));
            }

            @Override
            public void barrier(long extent, long offset, long tag) {
                loop.submit(() -> core.barrier(events, extent, offset, tag));
            }

            @Override
            public void close() {}
        });
    }

    @Override
    public CompletableFuture<List<LengthAnswer>> fence(String named, List<Long> extents) {
        return lengths(named, extents, core::fence);
    }

    @Override
    public CompletableFuture<List<LengthAnswer>> visible(String named, List<Long> extents) {
        return lengths(named, extents, core::visible);
    }

    private interface LengthCall {
        void ask(long extent, BiConsumer<ExtentStatus, Long> reply);
    }

    private CompletableFuture<List<LengthAnswer>> lengths(String named, List<Long> extents, LengthCall call) {
        if (!named.equals(node)) {
            LengthAnswer answer = new LengthAnswer(ExtentStatus.WRONG_NODE, 0);
            return CompletableFuture.completedFuture(java.util.Collections.nCopies(extents.size(), answer));
        }
        List<CompletableFuture<LengthAnswer>> answers = new ArrayList<>(extents.size());
        extents.forEach(extent -> answers.add(new CompletableFuture<>()));
        loop.submit(() -> {
            for (int i = 0; i < extents.size(); i++) {
                CompletableFuture<LengthAnswer> answer = answers.get(i);
                call.ask(extents.get(i), (status, length) -> answer.complete(new LengthAnswer(status, length)));
            }
        });
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> answers.stream()
                        .map(answer -> answer.getNow(new LengthAnswer(ExtentStatus.DAMAGED, 0)))
                        .toList());
    }

    /** Calls the core inside its loop. */
    private <T> CompletableFuture<T> inside(Consumer<CompletableFuture<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.submit(() -> call.accept(answer));
        return answer;
    }

    @Override
    public CompletableFuture<ExtentStatus> drop(String named, List<Long> extents) {
        return named.equals(node)
                ? inside(answer -> core.drop(extents, () -> answer.complete(ExtentStatus.OK)))
                : CompletableFuture.completedFuture(ExtentStatus.WRONG_NODE);
    }

    @Override
    public CompletableFuture<ExtentBytes> read(String named, Piece piece) {
        if (!named.equals(node)) {
            return CompletableFuture.completedFuture(new ExtentBytes(ExtentStatus.WRONG_NODE, ByteString.EMPTY));
        }
        return plan(piece).thenCompose(plan -> execute(plan, piece));
    }

    private CompletableFuture<ReadPlan> plan(Piece piece) {
        return inside(answer -> answer.complete(core.read(piece)));
    }

    private CompletableFuture<ExtentBytes> execute(ReadPlan plan, Piece piece) {
        if (plan.status() != ExtentStatus.OK || plan.fromFile() == 0) {
            return CompletableFuture.completedFuture(new ExtentBytes(plan.status(), plan.fromMemory()));
        }
        return core.outside()
                .reader()
                .apply(plan)
                .thenApply(bytes -> CompletableFuture.completedFuture(new ExtentBytes(ExtentStatus.OK, bytes)))
                .exceptionally(failure -> failed(piece, failure))
                .thenCompose(Function.identity());
    }

    /** An unreadable file counts as damaged, unless the extent was deleted meanwhile. */
    private CompletableFuture<ExtentBytes> failed(Piece piece, Throwable failure) {
        if (Failures.reason(failure) != Reason.DAMAGED) {
            return CompletableFuture.failedFuture(failure);
        }
        return plan(piece).thenApply(again -> {
            boolean refused = again.status() != ExtentStatus.OK;
            return new ExtentBytes(refused ? again.status() : ExtentStatus.DAMAGED, ByteString.EMPTY);
        });
    }

    @Override
    public CompletableFuture<List<NamesAnswer>> names(String named, List<NamesCommand> commands) {
        return named.equals(node) ? inside(answer -> core.names(commands, answer::complete)) : wrongNode(named);
    }

    @Override
    public CompletableFuture<List<NamesAnswer>> lookUp(String named, List<String> paths) {
        return named.equals(node) ? inside(answer -> core.names().lookUp(paths, answer::complete)) : wrongNode(named);
    }

    @Override
    public CompletableFuture<FileList> list(String named, String prefix, String after, int limit) {
        return named.equals(node)
                ? inside(answer ->
                        core.names().list(prefix, after, limit + 1, found -> answer.complete(cut(found, limit))))
                : wrongNode(named);
    }

    private <T> CompletableFuture<T> wrongNode(String named) {
        return CompletableFuture.failedFuture(
                new DfsException(Reason.UNAVAILABLE, "node " + named + " is not here, " + node + " is"));
    }

    private static FileList cut(List<FileEntry> found, int limit) {
        boolean more = found.size() > limit;
        return new FileList(more ? found.subList(0, limit) : found, more);
    }

    @Override
    public CompletableFuture<Void> probe() {
        return inside(answer -> core.probe(() -> answer.complete(null)));
    }

    @Override
    public CompletableFuture<Space> space() {
        return inside(answer -> answer.complete(core.space()));
    }

    @Override
    public void close() {}
}
