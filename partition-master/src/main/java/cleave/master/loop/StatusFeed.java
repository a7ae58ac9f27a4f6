package cleave.master.loop;

import cleave.runtime.loop.EventLoop;
import cleave.wire.StatusReply;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A status on its way to one operator, made piece by piece as that one takes it. {@link #ready} is thread-safe. */
public final class StatusFeed {
    private final EventLoop loop;
    private final Sink sink;
    private @Nullable StatusReport report;
    private BooleanSupplier stillTrue = () -> true;

    /** The other end. Called inside the master loop only. */
    public interface Sink {
        /** False while what was sent before has not left yet; {@link StatusFeed#ready} tells when it is true again. */
        boolean isReady();

        void send(StatusReply piece);

        void end();

        /** What was sent is no whole status, and nothing more comes. */
        void fail(String why);
    }

    StatusFeed(EventLoop loop, Sink sink) {
        this.loop = loop;
        this.sink = sink;
    }

    /** @param leads whether what the report rests on is still so */
    void begin(StatusReport toSend, BooleanSupplier leads) {
        report = toSend;
        stillTrue = toSend.isOfLeader() ? leads : stillTrue;
        pump();
    }

    /** The operator can take more. */
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
