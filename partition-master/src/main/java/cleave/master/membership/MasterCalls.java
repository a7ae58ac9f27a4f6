package cleave.master.membership;

import cleave.wire.SupportedLevelsReply;
import java.util.concurrent.CompletableFuture;

/** What a leader asks other masters. Thread-safe. */
public interface MasterCalls {
    /** What the master at that address supports. Fails if it does not answer in time, or does not know the question. */
    CompletableFuture<SupportedLevelsReply> supportedLevels(String address, long timeoutNanos);
}
