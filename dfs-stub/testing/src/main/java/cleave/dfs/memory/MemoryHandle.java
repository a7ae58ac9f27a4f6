package cleave.dfs.memory;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What the creator of a file in an {@link InMemoryDfs} writes it by. Confined to one thread. */
final class MemoryHandle implements DfsFile {
    private final InMemoryDfs dfs;
    private final String path;
    private final MemoryFile content;
    private boolean released;
    private boolean shortOfSpace;

    MemoryHandle(InMemoryDfs dfs, String path, MemoryFile content) {
        this.dfs = dfs;
        this.path = path;
        this.content = content;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
        dfs.appends++;
        shortOfSpace |= dfs.refusedPurposes.contains(purpose) || isRefused(purpose);
        DfsException refusal = refusal();
        if (refusal != null) {
            return CompletableFuture.failedFuture(refusal);
        }
        content.stored = content.stored.concat(bytes);
        int end = content.stored.size();
        content.end = end;
        CompletableFuture<Long> durable = new CompletableFuture<>();
        content.pending.add(new MemoryFile.Pending(end, purpose, durable));
        if (!dfs.heldAppends.test(path)) {
            content.sync(end, dfs.space());
        }
        return durable;
    }

    private boolean isRefused(Purpose purpose) {
        return switch (purpose) {
            case WRITE -> dfs.space() != Space.ROOMY;
            case CHECKPOINT -> dfs.space() == Space.FULL;
            case ESSENTIAL, SERVING -> false;
        };
    }

    @Override
    public CompletableFuture<Void> barrier() {
        dfs.barriers++;
        CompletableFuture<Void> reached = new CompletableFuture<>();
        dfs.barriersSent.pass(path, () -> {
            DfsException refusal = refusal();
            if (refusal == null) {
                reached.complete(null);
            } else {
                reached.completeExceptionally(refusal);
            }
        });
        return dfs.barrierAnswers.pass(path, reached);
    }

    private @Nullable DfsException refusal() {
        if (released || dfs.closed) {
            return new DfsException(Reason.BROKEN, path + " is closed");
        }
        return content.refusal(shortOfSpace);
    }

    @Override
    public void close() {
        if (!released && !content.sealed && !content.deleted) {
            dfs.givenUp.add(path);
        }
        released = true;
        dfs.handles.remove(path);
    }
}
