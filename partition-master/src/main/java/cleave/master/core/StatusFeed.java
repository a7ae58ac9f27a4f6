package cleave.master.core;

import cleave.runtime.loop.EventLoop;
import cleave.wire.StatusReply;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Sends a status to one operator in pieces, each made when the operator is ready for it. {@link #ready} is thread-safe. */
public final class StatusFeed {
    private final EventLoop loop;
    private final StreamSink<StatusReply> sink;
    private @Nullable StatusReport report;
    private BooleanSupplier stillTrue = () -> true;

    StatusFeed(EventLoop loop, StreamSink<StatusReply> sink) {
        this.loop = loop;
        this.sink = sink;
    }

    /** @param leads whether this master still leads, on which a leader's report depends */
    void begin(StatusReport toSend, BooleanSupplier leads) {
        report = toSend;
        stillTrue = toSend.isOfLeader() ? leads : stillTrue;
        pump();
    }

    /** The operator is ready for more. */
    public void ready() {
        loop.submit(this::pump);
    }

    private void pump() {
        loop.assertInside();
        while (report != null && sink.isReady()) {
            if (!stillTrue.getAsBoolean()) {
                report = null;
                sink.fail("the master that answered no longer leads");
            } else {
                sink.send(report.next());
                if (!report.hasNext()) {
                    report = null;
                    sink.end();
                }
            }
        }
    }
}
