package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import cleave.client.Answer;
import cleave.deploy.RawTables;
import cleave.deploy.access.TableAccount;
import cleave.deploy.admin.AdminClient;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The roles as their processes wire them, over TCP, in this process. */
@Timeout(300)
class RolesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path dir;

    private RunningRoles roles;
    private @Nullable Level level;
    private final Queue<ILoggingEvent> logged = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> log = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            logged.add(event);
        }
    };

    private static ch.qos.logback.classic.Logger root() {
        return (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    }

    @BeforeEach
    void listen() {
        roles = new RunningRoles(dir);
        log.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
        log.start();
        level = root().getLevel();
        root().setLevel(Level.INFO); // Commands that other tests ran in this JVM have set it.
        root().addAppender(log);
    }

    @AfterEach
    void close() {
        roles.close();
        root().detachAppender(log);
        root().setLevel(level);
    }

    private static void await(BooleanSupplier condition) {
        Await.until("the condition", condition::getAsBoolean);
    }

    private static AdminClient found(List<String> masters) {
        AdminClient admin = new AdminClient(masters, Transport.PLAIN, PATIENCE);
        admin.found("", PATIENCE);
        return admin;
    }

    /** The lines of a logger that hold this text among their fields. */
    private List<ILoggingEvent> lines(String logger, String text) {
        return logged.stream()
                .filter(event -> event.getLoggerName().startsWith(logger))
                .filter(event -> event.getKeyValuePairs() != null
                        && event.getKeyValuePairs().toString().contains(text))
                .toList();
    }

    @Test
    void aSlowRequestIsFoundInTheLogOfEachRoleByItsId() throws Exception {
        String dfs = roles.dfs("dfs", "550ms");
        String master = roles.address();
        String raft = roles.address();
        roles.master("m1", master, raft, "m1=" + raft + "=" + master, dfs);
        found(List.of(master));
        roles.server(master, dfs, Map.of());
        String http = roles.address();
        RunningRole frontEnd = roles.start(
                settings -> Roles.frontEnd(settings),
                Map.of(
                        "front-end.listen",
                        http,
                        "front-end.development-account",
                        "true",
                        "front-end.slow-request",
                        "100ms",
                        "masters",
                        master));
        await(() -> frontEnd.readiness().ready());
        RawTables tables = new RawTables(TableAccount.development("http://" + http));
        assertThat(tables.createTable("Slow")).isEqualTo(204);
        Answer answer =
                tables.send(to -> to.put("Slow", "p", "r", "", "{\"N\":1}").with("x-ms-client-request-id", "mine 7"));

        assertThat(answer.status()).isEqualTo(204);
        String id = answer.header("x-ms-request-id");
        await(() -> !lines("cleave.frontend", id).isEmpty());
        assertThat(lines("cleave.frontend", "mine 7"))
                .singleElement()
                .satisfies(line -> assertThat(line.getKeyValuePairs().toString())
                        .contains(id, "operation", "queueMillis", "serverMillis")
                        .doesNotContain("dfsMillis=\"0\""));
        assertThat(lines("cleave.server", id)).isNotEmpty();
        assertThat(lines("cleave.dfs", id)).isNotEmpty();
    }

    @Test
    void anotherMasterLeadsBeforeTheLeaderEnds() throws Exception {
        String dfs = roles.dfs("dfs", "0");
        List<String> rpc = IntStream.range(0, 3).mapToObj(i -> roles.address()).toList();
        List<String> raft = IntStream.range(0, 3).mapToObj(i -> roles.address()).toList();
        String peers = IntStream.range(0, 3)
                .mapToObj(i -> "m" + (i + 1) + "=" + raft.get(i) + "=" + rpc.get(i))
                .collect(Collectors.joining(","));
        List<RunningRole> masters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            masters.add(roles.master("m" + (i + 1), rpc.get(i), raft.get(i), peers, dfs));
        }
        AdminClient admin = found(rpc);
        masters.forEach(master -> await(() -> master.readiness().ready()));
        String before = admin.status().getSelf();
        RunningRole leader = masters.stream()
                .filter(master -> master.address().equals(before)
                        || before.equals(master.name().replace("master ", "")))
                .findFirst()
                .orElseThrow();

        assertThat(leader.leaveNanosMax()).isPositive();
        do { // One gives up after some seconds, which do not always suffice on a slow machine.
            leader.leave(new EndSignals());
        } while (logged.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .noneMatch("master leaves leads=false"::equals));

        await(() -> !admin.status().getSelf().equals(before));
    }
}
