package cleave.dfs.bookkeeper;

import cleave.runtime.files.FolderTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** ZooKeeper and bookies in this JVM, which the tests of a class share; each test takes another root. */
final class SharedBookies implements BeforeAllCallback, AfterAllCallback {
    private static final long PATIENCE_SECONDS = 120;

    private final int count;
    private final AtomicInteger roots = new AtomicInteger();
    private @Nullable Path folder;
    private @Nullable EmbeddedBookies bookies;

    SharedBookies(int count) {
        this.count = count;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        folder = Files.createTempDirectory("bookies-");
        bookies = bounded(() -> new EmbeddedBookies(Objects.requireNonNull(folder), count));
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        EmbeddedBookies started = bookies;
        if (started != null) {
            bounded(() -> {
                started.close();
                return started;
            });
        }
        if (folder != null) {
            FolderTree.delete(folder);
        }
    }

    /** Bounds a step, since starting and ending the servers has no bound. */
    private static <T> T bounded(Callable<T> step) throws Exception {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        done.complete(step.call());
                    } catch (Exception | Error failed) {
                        done.completeExceptionally(failed);
                    }
                },
                "bookies");
        thread.setDaemon(true);
        thread.start();
        return done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    EmbeddedBookies servers() {
        return Objects.requireNonNull(bookies);
    }

    /** A root under which nothing has been stored yet. */
    String newRoot() {
        return "/root-" + roots.incrementAndGet();
    }

    String uri(String root) {
        return servers().uri(root);
    }
}
