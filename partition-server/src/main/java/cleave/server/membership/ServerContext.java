package cleave.server.membership;

import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import cleave.server.range.Directory;
import cleave.server.range.MemoryBudget;
import cleave.server.range.RangeContext;
import cleave.server.range.TimestampLimit;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** What the incarnations of one server are made with, one after the other. Immutable. */
record ServerContext(
        EventLoop loop,
        Membership.Self self,
        Membership.Outside outside,
        Directory directory,
        MemoryBudget budget,
        TimestampLimit timestampLimit,
        AtomicLong fileCounter) {
    /** For a range of this incarnation, in the loop of this number. */
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
                budget,
                timestampLimit,
                fileCounter);
    }
}
