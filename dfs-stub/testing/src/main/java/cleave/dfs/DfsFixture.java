package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.loop.Await;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A DFS under test, and what its contract asks it. */
@Timeout(300)
abstract class DfsFixture {
    static final String PATH = "ranges/17.0/42-s1.9-log-3";

    @TempDir
    Path folder;

    Dfs dfs;

    /** How much space storage that is opened next keeps free; 0: its own default. */
    long spaceReserve;

    /** A client of the storage in the folder; the first of a test starts it. */
    protected abstract Dfs open() throws IOException;

    /** Stops the storage, and everything that {@link #open} gave, and lets it be opened again. */
    protected abstract void stop() throws IOException;

    /** Waits until a future is done. A loop that is turned by hand is turned until then. */
    protected void await(CompletableFuture<?> future) throws Exception {
        future.handle((value, failure) -> value).get(30, TimeUnit.SECONDS);
    }

    /** How often a reader of an open file may have to look until it sees all that is acknowledged. */
    protected int looks() {
        return 1;
    }

    final <T> void assertSees(Supplier<CompletableFuture<T>> question, T expected) {
        T seen = get(question.get());
        for (int more = looks() - 1; more > 0 && !expected.equals(seen); more--) {
            seen = get(question.get());
        }
        assertThat(seen).isEqualTo(expected);
    }

    protected static DfsMetrics metrics() {
        return new DfsMetrics(new CollectorRegistry());
    }

    @BeforeEach
    void openIt() throws IOException {
        dfs = open();
    }

    @AfterEach
    void stopIt() throws IOException {
        stop();
    }

    void reopen() throws IOException {
        stop();
        dfs = open();
    }

    final <T> T get(CompletableFuture<T> future) {
        try {
            await(future);
            return future.get(0, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof DfsException reason) {
                throw reason;
            }
            throw new AssertionError(failed);
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    protected static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }

    protected static ByteString bytes(long seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    protected final void assertFails(CompletableFuture<?> future, Reason reason) {
        assertThatThrownBy(() -> get(future))
                .isInstanceOfSatisfying(
                        DfsException.class,
                        failure -> assertThat(failure.reason())
                                .as(failure.toString())
                                .isEqualTo(reason));
    }

    final ByteString readAll(String path) {
        return get(dfs.read(path, 0, 64 << 20));
    }

    final void assertReads(String path, ByteString all) {
        assertSees(() -> dfs.read(path, 0, 64 << 20), all);
    }

    /** Another client; the same one where there is no more than one. */
    protected Dfs openAnother() throws IOException {
        return dfs;
    }

    /** The storage forgets that a path was deleted, if it ever does. */
    protected void forgetDeleted(String path) {}

    /** Opens the storage again, as if its disk were short of space, or full. */
    protected Dfs openWith(Dfs.Space space) throws IOException {
        stop();
        long free = Files.getFileStore(folder).getUsableSpace();
        spaceReserve = space == Dfs.Space.LOW ? free + free / 3 : 2 * free + free / 3;
        Dfs opened = open();
        spaceReserve = 0;
        Await.until("space is " + space, () -> {
            get(opened.probe()); // It asks the node once a second.
            return opened.space() == space;
        });
        return opened;
    }
}
