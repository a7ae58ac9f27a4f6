package cleave.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ContextLoopTest {
    /** As when a newer map comes to a front end that has just been closed. */
    @Test
    void whatComesWhenTheLoopHasEndedIsDropped() {
        Vertx vertx = Vertx.vertx();
        List<Throwable> faults = new CopyOnWriteArrayList<>();
        CompletableFuture<ContextLoop> made = new CompletableFuture<>();
        vertx.runOnContext(nothing -> made.complete(new ContextLoop(vertx, faults::add)));
        ContextLoop loop = made.orTimeout(120, TimeUnit.SECONDS).join();
        CompletableFuture<Void> ran = new CompletableFuture<>();
        loop.submit(() -> ran.complete(null));
        ran.orTimeout(120, TimeUnit.SECONDS).join();

        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(120, TimeUnit.SECONDS)
                .join();

        loop.submit(() -> faults.add(new AssertionError("submitted")));
        loop.schedule(0, () -> faults.add(new AssertionError("scheduled"))).cancel();
        assertThat(faults).isEmpty();
    }
}
