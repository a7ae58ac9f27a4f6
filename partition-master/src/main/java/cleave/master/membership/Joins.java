package cleave.master.membership;

import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import java.util.concurrent.CompletableFuture;

/** Tells other masters that they are members. Thread-safe. Futures fail when a master does not answer. */
public interface Joins {
    CompletableFuture<JoinReply> join(String address, JoinRequest request);
}
