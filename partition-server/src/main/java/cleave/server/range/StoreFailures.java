package cleave.server.range;

import cleave.model.Row;
import cleave.server.outside.StoreException;
import cleave.server.range.RangeState.Event;
import cleave.server.state.Ownership;
import cleave.wire.ErrorCode;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consequences of a failure of the store. A file that the DFS itself holds damaged stays damaged, whoever opens the range. So the range
 * goes on, and refuses only what lies in that file. Any other failure ends the use of the store here. The damaged files may be read on
 * any thread; all else is confined to the range's loop.
 */
final class StoreFailures {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFailures.class);

    private final Range.Outside outside;
    private final Ownership ownership;
    private final StateMachine machine;
    private volatile List<String> damagedFiles = List.of();

    StoreFailures(Range.Outside outside, Ownership ownership, StateMachine machine) {
        this.outside = outside;
        this.ownership = ownership;
        this.machine = machine;
    }

    /** Notes that something could not be read, and answers what to say of it. */
    ErrorCode unreadable(StoreException why) {
        if (why.kind() == StoreException.Kind.STORED_DAMAGE) {
            outside.metrics().unreadable.inc();
            return ErrorCode.DAMAGED;
        }
        failed(why);
        return ErrorCode.UNAVAILABLE;
    }

    /**
     * Notes that the store can no longer be used. Its caller may be in the middle of an operation, so the range closes
     * in a later event.
     */
    void failed(StoreException why) {
        outside.loop().assertInside();
        if (machine.isClosed()) {
            return;
        }
        LOG.error(
                "store failed range={} kind={} reason={}",
                Row.idText(ownership.range()),
                why.kind(),
                StoreException.reason(why));
        outside.loop().submit(() -> {
            if (!machine.isClosed()) {
                outside.metrics().storeFailures.inc();
                machine.on(Event.STORE_FAILED, "the store failed: " + StoreException.reason(why));
            }
        });
    }

    /** The files of its checkpoints that the DFS holds damaged, by their paths: what lies in their bad blocks cannot be read. */
    List<String> damagedFiles() {
        return damagedFiles;
    }

    /** These are damaged in the DFS, and no other copy is left. */
    void damaged(List<String> files) {
        damagedFiles = files;
    }
}
