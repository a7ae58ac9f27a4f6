package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.zookeeper.BoundExponentialBackoffRetryPolicy;
import org.apache.bookkeeper.zookeeper.RetryPolicy;
import org.junit.jupiter.api.Test;

class LedgersTest {
    private static final int SESSION_MILLIS = 10_000;

    /** For longer than a session, so that a short absence of ZooKeeper breaks no ledger. */
    @Test
    void whatZooKeeperDoesNotAnswerIsRepeatedForABoundedTime() {
        ClientConfiguration settings =
                Ledgers.settings(BookKeeperUri.parse("bookkeeper://zk:2181/cleave"), SESSION_MILLIS, true);
        RetryPolicy asBookKeeperMakesIt = new BoundExponentialBackoffRetryPolicy(
                settings.getZkTimeout(), settings.getZkTimeout(), settings.getZkRetryBackoffMaxRetries());

        long waited = 0;
        for (int retry = 0; asBookKeeperMakesIt.allowRetry(retry, waited) && retry < 100; retry++) {
            waited += asBookKeeperMakesIt.nextRetryWaitTime(retry, waited);
        }

        assertThat(waited).isBetween((long) SESSION_MILLIS, 4L * SESSION_MILLIS);
    }
}
