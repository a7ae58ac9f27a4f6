package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AdminConnectionsTest {
    private final AdminConnections connections = new AdminConnections();

    @Test
    void aConnectionLivesForTenSecondsAtMost() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime();
        channel.pipeline().addLast(connections);
        channel.pipeline().fireChannelActive();
        channel.advanceTimeBy(9, TimeUnit.SECONDS);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();

        channel.advanceTimeBy(1, TimeUnit.SECONDS);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void theOldestMakesRoomForANewOne() {
        List<EmbeddedChannel> open = new ArrayList<>();
        for (int i = 0; i < AdminConnections.OPEN_MAX; i++) {
            open.add(new EmbeddedChannel(connections));
        }
        open.get(0).close();
        open.add(new EmbeddedChannel(connections));
        assertThat(open.get(1).isOpen()).as("there was room").isTrue();

        open.add(new EmbeddedChannel(connections));

        assertThat(open.get(1).isOpen()).isFalse();
        assertThat(open.subList(2, open.size())).allMatch(EmbeddedChannel::isOpen);
    }

    @Test
    void aConnectionThatHasAskedIsClosedAfterThoseThatHaveNot() {
        List<EmbeddedChannel> open = new ArrayList<>();
        for (int i = 0; i < AdminConnections.OPEN_MAX; i++) {
            open.add(new EmbeddedChannel(connections));
        }
        connections.asked(open.get(0));
        open.add(new EmbeddedChannel(connections));
        assertThat(open.get(0).isOpen()).isTrue();
        assertThat(open.get(1).isOpen()).isFalse();

        open.subList(2, open.size()).forEach(connections::asked);
        open.add(new EmbeddedChannel(connections));
        assertThat(open.get(0).isOpen())
                .as("all have asked, and it is the oldest")
                .isFalse();
    }
}
