package cleave.deploy.backup;

import java.util.concurrent.CompletableFuture;

/** How a command waits for an answer. Blocks its caller; in the simulator it lets the simulated time pass. */
@FunctionalInterface
public interface Waiting {
    /** What was waited for, or the exception that ended it. */
    <T> T await(CompletableFuture<T> work);
}
