package cleave.dfs.memory;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile.Purpose;
import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What an {@link InMemoryDfs} has of one file, and what its writer still waits for. Confined to one thread. */
final class MemoryFile {
    private final String path;
    ByteString stored = ByteString.EMPTY;
    int durable;
    boolean sealed;
    boolean broken;
    boolean deleted;
    /** Its writer was refused something, and knows. */
    boolean refused;
    /** Behind the last append that was stored. */
    int end;
    /** The length that becomes durable once there is space. */
    int synced;

    final ArrayDeque<Pending> pending = new ArrayDeque<>();

    /** An append that is stored, not durable, and ends at this length. */
    record Pending(int end, Purpose purpose, CompletableFuture<Long> future) {}

    MemoryFile(String path) {
        this.path = path;
    }

    /** Makes appends up to this length durable; on a full disk, those that wait do so afterwards. */
    void sync(int to, Space space) {
        synced = Math.max(synced, Math.min(to, stored.size()));
        while (!pending.isEmpty()
                && pending.element().end() <= synced
                && !(space == Space.FULL && pending.element().purpose() == Purpose.ESSENTIAL)) {
            Pending append = pending.remove();
            durable = append.end();
            append.future().complete((long) append.end());
        }
    }

    /** Keeps this much, and answers the appends that were under way. */
    List<Pending> giveUp(int length) {
        List<Pending> given = List.copyOf(pending);
        refused |= !given.isEmpty();
        pending.clear();
        stored = stored.substring(0, length);
        synced = Math.min(synced, length);
        return given;
    }

    /** Keeps this much, and fails the appends that were under way. */
    void fail(int length, Reason reason) {
        giveUp(length).forEach(each -> each.future().completeExceptionally(new DfsException(reason, path)));
    }

    /** Why its writer is refused; null if it is not. Once it is, it is for ever. */
    @Nullable
    DfsException refusal(boolean shortOfSpace) {
        Reason reason = deleted
                ? Reason.DELETED
                : sealed ? Reason.SEALED : broken ? Reason.BROKEN : shortOfSpace ? Reason.NO_SPACE : null;
        if (reason == null && refused) {
            reason = Reason.BROKEN;
        }
        refused |= reason != null;
        return reason == null ? null : new DfsException(reason, path);
    }
}
