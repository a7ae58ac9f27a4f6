package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.junit.jupiter.api.Test;

/** Checks which handles of ledgers stay open for readers. */
class ReadersTest {
    private final Readers readers = new Readers();
    private final List<String> closed = new ArrayList<>();

    private LedgerReader reader(String path) {
        return new LedgerReader(
                path,
                (ReadHandle) Proxy.newProxyInstance(
                        ReadHandle.class.getClassLoader(),
                        new Class<?>[] {ReadHandle.class},
                        (proxy, method, arguments) -> {
                            assertThat(method.getName()).isEqualTo("closeAsync");
                            closed.add(path);
                            return CompletableFuture.completedFuture(null);
                        }),
                new ReadBudget(1, Long.MAX_VALUE, () -> 0));
    }

    @Test
    void anOpenThatThrowsIsTriedAgainByTheNextRead() {
        assertThat(readers.of("log", () -> {
                    throw new IllegalStateException("closed");
                }))
                .isCompletedExceptionally();

        LedgerReader reader = reader("log");
        assertThat(readers.of("log", () -> CompletableFuture.completedFuture(reader)))
                .isCompletedWithValue(reader);
        assertThat(readers.known("log")).isSameAs(reader);
    }

    @Test
    void aReaderOfAPathThatIsForgottenWhileItIsOpenedIsClosed() {
        CompletableFuture<LedgerReader> opening = new CompletableFuture<>();
        readers.of("log", () -> opening);
        readers.forget("log");

        opening.complete(reader("log"));

        assertThat(closed).containsExactly("log");
        assertThat(readers.known("log")).isNull();
    }

    @Test
    void theReaderThatWasNotUsedForLongestIsClosedForANewOne() {
        for (int i = 0; i < 512; i++) {
            String path = "log-" + i;
            readers.of(path, () -> CompletableFuture.completedFuture(reader(path)));
        }
        assertThat(readers.known("log-0")).isNotNull();
        assertThat(closed).isEmpty();

        readers.of("another", () -> CompletableFuture.completedFuture(reader("another")));

        assertThat(closed).containsExactly("log-1");
    }
}
