package cleave.deploy.backup;

import java.util.concurrent.CompletableFuture;

/** The way in which a command waits for an answer. Blocks its caller; in the simulator, simulated time passes. */
@FunctionalInterface
public interface Waiting {
    /** The answer, or the exception that ended it. */
    <T> T await(CompletableFuture<T> work);
}
