package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LocationAwareLogger;

/** What libraries log while a process is away or ends. */
class LibraryNoiseTest {
    private static final String CHANNEL = "io.grpc.internal.ManagedChannelImpl";

    private final LoggerContext context = new LoggerContext();
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
    private long nanos;

    @BeforeEach
    void begin() {
        context.addTurboFilter(new LibraryNoise(() -> nanos));
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        appender.start();
        root.addAppender(appender);
    }

    private List<String> lines() {
        List<String> lines = appender.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage()
                        + (event.getThrowableProxy() == null ? "" : " with a stack"))
                .toList();
        appender.list.clear();
        return lines;
    }

    /** As java.util.logging's bridge does. */
    private void unresolved(String logger, int channel, int master) {
        context.getLogger(logger)
                .log(
                        null,
                        "bridge",
                        LocationAwareLogger.WARN_INT,
                        String.format(
                                "[Channel<%d>: (dns:///cleave-master-%d.cleave-master:10100)] Failed to resolve name."
                                        + " status=Status{code=UNAVAILABLE, description=Unable to resolve host,"
                                        + " cause=java.lang.RuntimeException: java.net.UnknownHostException:"
                                        + " cleave-master\n"
                                        + "\tat io.grpc.internal.DnsNameResolver.resolve\n"
                                        + "}",
                                channel, master),
                        null,
                        null);
    }

    @Test
    void aNameThatDoesNotExistIsOneLineAMinute() {
        for (int i = 0; i < 91; i++) {
            unresolved(CHANNEL, i, 1);
        }
        unresolved("org.apache.ratis.thirdparty." + CHANNEL, 7, 1);
        unresolved(CHANNEL, 92, 2);
        assertThat(lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line)
                        .startsWith("WARN [Channel<")
                        .contains("Failed to resolve name", "UnknownHostException")
                        .doesNotContain("DnsNameResolver", "repeated="));

        nanos += TimeUnit.SECONDS.toNanos(60);
        unresolved(CHANNEL, 93, 1);
        assertThat(lines()).singleElement().asString().endsWith(" repeated=90");
    }

    @Test
    void whatZooKeeperFailsAtIsTheTextWithItsCausesAndNoStack() {
        Logger logger = context.getLogger("org.apache.zookeeper.server.NettyServerCnxnFactory");
        Exception cause =
                new IllegalStateException("no peer\nsecond line", new UnknownHostException("cleave-zookeeper-2"));
        logger.error("Unsuccessful handshake with session 0x{}", Long.toHexString(26), cause);
        logger.error("Unsuccessful handshake with session 0x{}", Long.toHexString(27), cause);
        logger.warn("Cannot open channel to {}", 2, new UnknownHostException("x"));

        assertThat(lines())
                .containsExactly(
                        "ERROR Unsuccessful handshake with session 0x1a cause=java.lang.IllegalStateException: no peer:"
                                + " java.net.UnknownHostException: cleave-zookeeper-2",
                        "WARN Cannot open channel to 2 cause=java.net.UnknownHostException: x");
    }

    /** As Ratis tells it. */
    private void refused(String leader, int call, Exception why) {
        context.getLogger("org.apache.ratis.server.RaftServer$Division")
                .error(
                        "{}: Failed appendEntries* {}",
                        "m2@group-1",
                        leader + "->m2#" + call + "-t3,previous=(t:3, i:" + (100 + call) + "),leaderCommit=" + call,
                        why);
        context.getLogger("org.apache.ratis.grpc.server.GrpcServerProtocolService")
                .warn("m2: Failed APPEND_ENTRIES request " + leader + "->m2#" + call + "-t3,previous=(t:3, i:" + call
                        + "): org.apache.ratis.protocol.exceptions.ServerNotReadyException: " + why.getMessage());
    }

    @Test
    void whatAMasterThatEndsRefusesIsOneLineForEachLeader() {
        Exception closing = new IllegalStateException("m2@group-1 is not in [RUNNING]: current state is CLOSING");
        for (int call = 0; call < 50; call++) {
            refused("m1", call, closing);
        }
        refused("m3", 50, closing);
        refused("m3", 51, new IllegalStateException("a bug"));
        String again = "WARN m2: Failed APPEND_ENTRIES request %s-t3,previous=(t:3, i:%d):"
                + " org.apache.ratis.protocol.exceptions.ServerNotReadyException: %s";
        assertThat(lines())
                .containsExactly(
                        "ERROR m2@group-1: Failed appendEntries* m1->m2#0-t3,previous=(t:3, i:100),leaderCommit=0"
                                + " cause="
                                + closing,
                        String.format(again, "m1->m2#0", 0, closing.getMessage()),
                        "ERROR m2@group-1: Failed appendEntries* m3->m2#50-t3,previous=(t:3, i:150),leaderCommit=50"
                                + " cause="
                                + closing,
                        String.format(again, "m3->m2#50", 50, closing.getMessage()),
                        "ERROR m2@group-1: Failed appendEntries* m3->m2#51-t3,previous=(t:3, i:151),leaderCommit=51"
                                + " with a stack",
                        String.format(again, "m3->m2#51", 51, "a bug"));
    }

    @Test
    void everythingElseIsLoggedAsItIs() {
        context.getLogger(CHANNEL).warn("another warning", new IllegalStateException("x"));
        context.getLogger("cleave.master").error("a bug", new IllegalStateException("x"));
        context.getLogger("org.apache.zookeeper.Login").info("an information");

        assertThat(lines())
                .containsExactly(
                        "WARN another warning with a stack", "ERROR a bug with a stack", "INFO an information");
    }

    @Test
    void levelsCountAndDebugShowsStacks() {
        Logger logger = context.getLogger("org.apache.zookeeper.ClientCnxn");
        logger.setLevel(Level.OFF);
        logger.error("away", new IllegalStateException("x"));
        assertThat(lines()).isEmpty();

        logger.setLevel(Level.DEBUG);
        logger.error("away", new IllegalStateException("x"));
        logger.error("away", new IllegalStateException("x"));
        assertThat(lines()).containsExactly("ERROR away with a stack", "ERROR away with a stack");
    }

    /** The filter is where the processes' loggers are made. */
    @Test
    void processesHaveIt() {
        LoggerContext ofProcess = (LoggerContext) LoggerFactory.getILoggerFactory();

        assertThat(ofProcess.getTurboFilterList()).hasAtLeastOneElementOfType(LibraryNoise.class);
    }
}
