package cleave.objects;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for work on other threads. Stateless. */
final class Futures {
    private Futures() {}

    /** The result, or the failure of the work. */
    static <T> T get(Future<T> work) throws IOException {
        try {
            return work.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof StoreFailure answer) {
                throw new StoreFailure(answer.kind(), String.valueOf(answer.getMessage()));
            }
            throw new IllegalStateException(failed.getCause());
        }
    }
}
