package cleave.server.outside;

import cleave.wire.CommandReply;
import cleave.wire.Fence;
import cleave.wire.HandoffRequest;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import java.util.concurrent.CompletableFuture;

/**
 * The masters, whichever leads. Thread-safe. A failed future, and the codes UNAVAILABLE, NOT_LEADER, BUSY and UNKNOWN_OUTCOME, say
 * nothing about what has happened: the same command may be sent again, and is answered "done" if it was.
 */
public interface Masters {
    CompletableFuture<RegisterReply> register(RegisterRequest request);

    CompletableFuture<CommandReply> publish(PublishRequest request);

    CompletableFuture<CommandReply> commitHandoff(HandoffRequest request);

    /** Once it is OK, nobody takes a range of its incarnation over without having sealed this fence. */
    CompletableFuture<CommandReply> armFence(Fence fence);

    /** A stream to the leader; it may break at any time, and then another is to be opened. */
    HeartbeatStream heartbeats(HeartbeatListener listener);

    /** The sending end of one stream. Thread-safe. */
    interface HeartbeatStream {
        void send(HeartbeatRequest request);

        /** Idempotent; the listener is not called. */
        void close();
    }

    /** Called on any thread. */
    interface HeartbeatListener {
        void onReply(HeartbeatReply reply);

        /** The stream is over. */
        void onBroken(String why);
    }
}
