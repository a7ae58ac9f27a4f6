package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import cleave.model.Key;
import cleave.server.range.Range;
import cleave.server.range.SlowRequests;
import cleave.wire.ScanRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SlowRequestsTest {
    private static final long MILLIS = 1_000_000;

    private final Cluster cluster = new Cluster();
    private final Logger logger = (Logger) LoggerFactory.getLogger(SlowRequests.class);
    private final Level usual = logger.getLevel();
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private Node server;

    @BeforeEach
    void listen() {
        server = cluster.start("s1");
        cluster.split("s1", cluster.masters.onlyRow(), List.of(Key.beforeTable(100)), "s1", "s1");
        cluster.settle();
        assertThat(server.ranges()).hasSize(2);
        logger.setLevel(Level.WARN);
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(logged);
        logger.setLevel(usual);
    }

    private void scanBothFourTimes(long nanos) {
        server.readersBusyNanos = nanos;
        for (Range range : server.ranges()) {
            for (int i = 0; i < 4; i++) {
                Node.scan(
                        range,
                        ScanRequest.newBuilder()
                                .setStart(range.ownership().interval().startToWire())
                                .setEnd(range.ownership().interval().endToWire()));
            }
        }
        cluster.loop.advanceMillis(nanos / MILLIS);
        cluster.loop.runReady();
    }

    private List<Object> values(String key) {
        return logged.list.stream()
                .flatMap(event -> event.getKeyValuePairs().stream())
                .filter(pair -> pair.key.equals(key))
                .map(pair -> pair.value)
                .toList();
    }

    @Test
    void theRangesOfAServerShareOneLimitOfLines() {
        scanBothFourTimes(600 * MILLIS);
        assertThat(logged.list).hasSize(5);
        assertThat(values("outcome")).containsOnly(cleave.wire.ErrorCode.OK);
        assertThat(values("millis")).containsOnly(600L);

        scanBothFourTimes(1_100 * MILLIS);

        assertThat(logged.list).hasSize(10);
        assertThat(values("suppressed")).containsExactly(0L, 0L, 0L, 0L, 0L, 3L, 0L, 0L, 0L, 0L);
    }

    @Test
    void aRequestOfLessThanHalfASecondIsNotLogged() {
        scanBothFourTimes(400 * MILLIS);

        assertThat(logged.list).isEmpty();
    }
}
