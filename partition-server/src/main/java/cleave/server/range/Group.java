package cleave.server.range;

import cleave.dfs.AppendTimes;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.RequestId;
import cleave.server.policy.Judgement;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writes that the committer took from its queue in one turn. They share one record of the commit log, or have none
 * if no write changes anything. Confined to the range's loop.
 */
final class Group {
    private final List<Change> changes = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private @Nullable LogPosition position;
    /** Null if none of the changes has a trace. */
    private @Nullable AppendTimes times;

    private long bytes;
    private int recordBytes;
    private boolean confirmed;

    void add(Change change, Judgement judgement) {
        change.judged(judgement);
        changes.add(change);
        effects.addAll(judgement.effects());
        bytes += change.bytes;
        if (change.steps != null && times == null) {
            times = new AppendTimes();
        }
    }

    List<Change> changes() {
        return changes;
    }

    List<Effect> effects() {
        return effects;
    }

    /** Essential only if all its writes are. */
    Purpose purpose() {
        return changes.stream().allMatch(Change::servesToFreeSpace) ? Purpose.ESSENTIAL : Purpose.WRITE;
    }

    /** The first client's request in it, whose id goes to the DFS with the record. */
    RequestId request() {
        for (Change change : changes) {
            if (!change.id.isNone()) {
                return change.id;
            }
        }
        return RequestId.NONE;
    }

    /** Notes that its record, or the barrier in its place, is about to be sent. */
    void asksDfs(long nowNanos) {
        RequestId carried = request();
        for (Change change : changes) {
            change.asksDfs(nowNanos, carried);
            if (change.steps != null && times != null && !effects.isEmpty()) {
                change.steps.appends(times);
            }
        }
    }

    /** Where the DFS notes how long the append took; null if nobody asks. */
    @Nullable
    AppendTimes times() {
        return times;
    }

    /** Notes that its record is durable, or a barrier in its place has succeeded. */
    void stored(long nowNanos) {
        for (Change change : changes) {
            if (change.steps != null) {
                change.steps.stored(nowNanos);
            }
        }
    }

    /** Size of its requests in bytes. */
    long bytes() {
        return bytes;
    }

    /** Notes that it was sent as a record of this size that ends here. */
    void sent(int size, LogPosition behind) {
        recordBytes = size;
        position = behind;
    }

    int recordBytes() {
        return recordBytes;
    }

    /** The position behind its record; null if it appended nothing. */
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
