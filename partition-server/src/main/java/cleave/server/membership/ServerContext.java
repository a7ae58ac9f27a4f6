package cleave.server.membership;

import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import cleave.server.range.AccountShares;
import cleave.server.range.ClusterLevel;
import cleave.server.range.Directory;
import cleave.server.range.RangeContext;
import cleave.server.range.SlowRequests;
import cleave.server.range.TimestampLimit;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The dependencies of a server's incarnations. Immutable. A {@link RangeContext} has only those that a range may use:
 * not the targets of handoffs, nor the other loops.
 */
record ServerContext(
        EventLoop loop,
        Membership.Self self,
        Membership.Outside outside,
        Directory directory,
        AccountShares memory,
        SlowRequests slowRequests,
        TimestampLimit timestampLimit,
        ClusterLevel level,
        AtomicLong fileCounter) {
    /** The context of a range of this incarnation, in the loop of this number. */
    RangeContext ofRange(Incarnation incarnation, long inLoop) {
        List<? extends EventLoop> loops = outside.rangeLoops();
        return new RangeContext(
                incarnation,
                loops.get((int) Long.remainderUnsigned(inLoop, loops.size())),
                outside.dfs(),
                outside.masters(),
                outside.stores(),
                outside.readers(),
                self.ranges(),
                outside.metrics(),
                outside.answerOrder(),
                memory,
                slowRequests,
                timestampLimit,
                level,
                fileCounter);
    }
}
