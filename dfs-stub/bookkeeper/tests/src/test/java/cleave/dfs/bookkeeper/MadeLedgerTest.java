package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.junit.jupiter.api.Test;

/** Checks when the handle of a ledger that a call has made is closed. */
class MadeLedgerTest {
    private final MadeLedger made = new MadeLedger();
    private int closed;

    private final WriteHandle ledger = (WriteHandle) Proxy.newProxyInstance(
            WriteHandle.class.getClassLoader(), new Class<?>[] {WriteHandle.class}, (proxy, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("closeAsync");
                closed++;
                return CompletableFuture.completedFuture(null);
            });

    @Test
    void theNextAttemptUsesTheLedgerOfTheLast() {
        assertThat(made.handle()).isNull();
        assertThat(made.keep(ledger)).isTrue();

        assertThat(made.handle()).isSameAs(ledger);
        assertThat(closed).isZero();
    }

    @Test
    void aCallThatFailsClosesIt() {
        made.keep(ledger);
        made.giveUp();

        assertThat(closed).isEqualTo(1);
    }

    @Test
    void aLedgerThatComesAfterItsCallHasFailedIsClosedAndNotNamed() {
        made.giveUp();

        assertThat(made.keep(ledger)).isFalse();
        assertThat(closed).isEqualTo(1);
    }
}
