package cleave.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.metrics.FrontEndMetrics;
import io.netty.channel.embedded.EmbeddedChannel;
import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AcceptedConnectionsTest {
    private final FrontEndMetrics metrics = new FrontEndMetrics(new CollectorRegistry());
    private final EmbeddedChannel listening = new EmbeddedChannel(
            new AcceptedConnections(1, TimeUnit.SECONDS.toNanos(1), metrics, new Closings(metrics)));

    /** A connection that was accepted and has no loop yet. */
    private static EmbeddedChannel connection() {
        return new EmbeddedChannel(false, false);
    }

    @Test
    void aConnectionThatHasNoLoopYetMakesRoomAsSoonAsItHasOne() throws Exception {
        EmbeddedChannel older = connection();
        EmbeddedChannel newcomer = connection();
        listening.writeInbound(older);
        listening.writeInbound(newcomer);

        newcomer.register();
        assertThat(newcomer.isOpen()).isTrue();
        older.register();
        assertThat(older.isOpen()).isFalse();
    }

    @Test
    void ifAllHaveAskedANewcomerIsClosed() throws Exception {
        EmbeddedChannel asked = connection();
        EmbeddedChannel newcomer = connection();
        listening.writeInbound(asked);
        asked.register();
        AcceptedConnections.asked(asked);

        listening.writeInbound(newcomer);

        assertThat(newcomer.isOpen()).isFalse();
        assertThat(asked.isOpen()).isTrue();
    }
}
