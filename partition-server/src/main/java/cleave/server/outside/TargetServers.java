package cleave.server.outside;

import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import java.util.concurrent.CompletableFuture;

/**
 * The servers that are to own a handoff's targets, by address. Thread-safe. A failed future says nothing about what has happened there.
 */
public interface TargetServers {
    CompletableFuture<PrepareReply> prepare(String address, PrepareRequest request, long timeoutNanos);

    CompletableFuture<FinishReply> finish(String address, FinishRequest request, long timeoutNanos);
}
