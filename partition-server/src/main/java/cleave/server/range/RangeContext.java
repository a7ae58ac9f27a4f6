package cleave.server.range;

import cleave.dfs.Dfs;
import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Masters;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStores;
import cleave.server.outside.Readers;
import cleave.server.policy.AnswerOrder;
import cleave.server.settings.RangeSettings;
import java.util.function.LongConsumer;

/**
 * The dependencies of a range: its loop, its settings, and its interfaces to the outside. Immutable.
 *
 * @param self the incarnation that serves
 * @param memory shared by all ranges of the server, as are the slow requests and the file counter
 * @param fileCounter makes file names unique in this process
 */
public record RangeContext(
        Incarnation self,
        EventLoop loop,
        Dfs dfs,
        Masters masters,
        RangeStores stores,
        Readers readers,
        RangeSettings settings,
        ServerMetrics metrics,
        AnswerOrder answerOrder,
        AccountShares memory,
        SlowRequests slowRequests,
        TimestampLimit timestampLimit,
        ClusterLevel level,
        java.util.concurrent.atomic.AtomicLong fileCounter) {
    public RangeFiles files(long range, long epoch) {
        return new RangeFiles(range, epoch, self, fileCounter);
    }

    /** A context for one range, whose work in the loop is measured. */
    RangeContext metered(LongConsumer worked) {
        return new RangeContext(
                self,
                new MeteredLoop(loop, worked),
                dfs,
                masters,
                stores,
                readers,
                settings,
                metrics,
                answerOrder,
                memory,
                slowRequests,
                timestampLimit,
                level,
                fileCounter);
    }
}
