package cleave.deploy.backup;

import cleave.deploy.admin.AdminClient;
import cleave.deploy.terminal.Wait;
import cleave.wire.RestoreRequest;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A cluster of processes, over the network. */
record LiveCluster(AdminClient masters) implements ClusterAccess {
    private static final Duration PAUSE = Duration.ofMillis(200);

    @Override
    public StatusReply status() {
        return masters.status();
    }

    @Override
    public Status restore(RestoreRequest request) {
        return masters.restore(request);
    }

    @Override
    public void pause() {
        Wait.until(() -> false, PAUSE, PAUSE);
    }

    @Override
    public <T> T await(CompletableFuture<T> work) {
        return join(work);
    }

    static <T> T join(CompletableFuture<T> work) {
        try {
            return work.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof RuntimeException answer) {
                throw answer;
            }
            throw failure;
        }
    }
}
