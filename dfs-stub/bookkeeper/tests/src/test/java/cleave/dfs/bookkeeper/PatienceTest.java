package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private final Patience patience = new Patience(30_000);

    @Test
    void pausesGrowAndStayShort() {
        assertThat(IntStream.range(1, 9).mapToLong(retry -> patience.nextRetryWaitTime(retry, 0)))
                .containsExactly(40L, 80L, 160L, 320L, 500L, 500L, 500L, 500L);
        assertThat(patience.nextRetryWaitTime(1_000_000, 0)).isEqualTo(500);
    }

    @Test
    void theTimeBoundsTheRetriesAndNotTheirNumber() {
        assertThat(patience.allowRetry(1_000_000, 29_999)).isTrue();
        assertThat(patience.allowRetry(1, 30_000)).isFalse();
        assertThat(Patience.NONE.allowRetry(1, 0)).isFalse();
    }

    /** The client waits longer than a session, so that a short absence of ZooKeeper breaks no ledger, but not for ever. */
    @Test
    void theClientIsPatientForSomeSessions() {
        int session = 10_000;
        Patience its = Connections.patience(
                BookKeeperLedgers.settings(BookKeeperUri.parse("bookkeeper://zk:2181/cleave"), session, true));
        assertThat(its.elapsedMillisMax()).isBetween(2L * session, 4L * session);
    }
}
