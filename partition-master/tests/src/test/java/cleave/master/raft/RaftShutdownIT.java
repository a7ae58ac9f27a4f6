package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.runtime.loop.Await;
import java.nio.file.Path;
import org.apache.ratis.grpc.GrpcUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A member's connections when it ends, and when it no longer leads. */
class RaftShutdownIT {
    @TempDir
    private Path dir;

    @Test
    void aLeaderEndsWithoutWaitingForAFollowerThatAnswersNothing() {
        ListAppender<ILoggingEvent> waits = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(GrpcUtil.class);
        try (RaftPeers peers = RaftPeers.linked(dir, 3)) {
            peers.startAll();
            assertThat(peers.execute(new AllocateTableIds(1)).isOk()).isTrue();
            String leader = peers.leader();
            peers.swallow(leader.equals("m1") ? "m2" : "m1");
            waits.start();
            logger.addAppender(waits);
            logger.setLevel(Level.WARN);

            peers.stop(leader);

            assertThat(waits.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .as("what Ratis logs when it has waited in vain for the calls of a connection")
                    .isEmpty();
        } finally {
            logger.setLevel(null);
            logger.detachAppender(waits);
        }
    }

    @Test
    void aFormerLeaderClosesItsConnectionsToFollowers() {
        try (RaftPeers peers = RaftPeers.linked(dir, 3)) {
            peers.startAll();
            assertThat(peers.execute(new AllocateTableIds(1)).isOk()).isTrue();
            String old = peers.leader();
            String next = old.equals("m1") ? "m2" : "m1";
            peers.transfer(old, next);

            Await.until("nobody to be connected to the leader", () -> peers.connections(next) == 0);

            assertThat(peers.leader()).isEqualTo(next);
        }
    }
}
