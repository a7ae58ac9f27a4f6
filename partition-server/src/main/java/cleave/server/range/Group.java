package cleave.server.range;

import cleave.dfs.DfsFile.Purpose;
import cleave.model.RequestId;
import cleave.server.policy.Judgement;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the committer took from its queue in one turn: all of it shares one record of the commit log, or none if nothing in it
 * changes anything. Confined to the range's loop.
 */
final class Group {
    private final List<Change> changes = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private @Nullable LogPosition position;
    private long bytes;
    private int recordBytes;
    private boolean confirmed;

    void add(Change change, Judgement judgement) {
        change.judged(judgement);
        changes.add(change);
        effects.addAll(judgement.effects());
        bytes += change.bytes;
    }

    List<Change> changes() {
        return changes;
    }

    List<Effect> effects() {
        return effects;
    }

    /** Essential only if all of it is. */
    Purpose purpose() {
        return changes.stream().allMatch(Change::servesToFreeSpace) ? Purpose.ESSENTIAL : Purpose.WRITE;
    }

    /** The first client's request in it: its record carries the id to the DFS. */
    RequestId request() {
        for (Change change : changes) {
            if (!change.id.isNone()) {
                return change.id;
            }
        }
        return RequestId.NONE;
    }

    /** Its record, or the barrier that stands for one, is about to be sent. */
    void asksDfs(long nowNanos) {
        RequestId carried = request();
        for (Change change : changes) {
            change.asksDfs(nowNanos, carried);
        }
    }

    /** Bytes of its requests. */
    long bytes() {
        return bytes;
    }

    /** It was sent as a record of this size that ends here. */
    void sent(int size, LogPosition behind) {
        recordBytes = size;
        position = behind;
    }

    int recordBytes() {
        return recordBytes;
    }

    /** Behind its record; null if it appended nothing. */
    @Nullable
    LogPosition position() {
        return position;
    }

    void confirm() {
        confirmed = true;
    }

    /** True if its record is durable or, if it has none, if a barrier sent after its evaluation succeeded. */
    boolean isConfirmed() {
        return confirmed;
    }
}
