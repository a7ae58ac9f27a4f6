package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.cluster.Ports;
import cleave.deploy.terminal.Wait;
import cleave.model.FeatureLevels;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster moves to a copy of its DFS, and its processes are started with the wrong one: roles over TCP, in this process. */
@Timeout(300)
class MovedDfsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Pattern IDS = Pattern.compile("that is DFS (\\S+);.*left with DFS (\\S+) will be refused");

    @TempDir
    private Path dir;

    private final Ports ports = new Ports();
    private final String master = address();
    private final String raft = address();
    private final TestTerminal terminal = new TestTerminal();
    private final Deque<RunningRole> running = new ArrayDeque<>();

    @AfterEach
    void close() {
        running.forEach(RunningRole::close);
        ports.close();
    }

    private String address() {
        return "127.0.0.1:" + ports.free();
    }

    private RunningRole start(
            Function<Settings, Function<CollectorRegistry, RunningRole>> role, Map<String, String> settings) {
        RunningRole started = role.apply(new Settings(settings)).apply(new CollectorRegistry());
        running.push(started);
        started.start();
        return started;
    }

    private void end(RunningRole role) {
        running.remove(role);
        role.close();
    }

    /** Starts another node; its URI. */
    private String dfs(String name) {
        String listen = address();
        start(
                Roles::dfs,
                Map.of(
                        "dfs-node.listen",
                        listen,
                        "dfs-node.dir",
                        dir.resolve(name).toString()));
        return "dfs:" + listen;
    }

    private RunningRole master(String dfs) {
        return start(
                Roles::master,
                Map.of(
                        "master.id",
                        "m1",
                        "master.listen",
                        master,
                        "master.raft-listen",
                        raft,
                        "master.peers",
                        "m1=" + raft + "=" + master,
                        "master.dir",
                        dir.resolve("m1").toString(),
                        "dfs",
                        dfs));
    }

    private RunningRole server(String dfs) {
        return start(
                Roles::server,
                Map.of(
                        "server.id",
                        "s1",
                        "server.dir",
                        dir.resolve("s1").toString(),
                        "masters",
                        master,
                        "server.drain-deadline",
                        "0",
                        "dfs",
                        dfs));
    }

    private static void await(BooleanSupplier condition) {
        assertThat(Wait.until(condition, PATIENCE, POLL)).isTrue();
    }

    /** A cluster with one range, stopped again once it knows its DFS. */
    private void run(String dfs) {
        RunningRole leader = master(dfs);
        try (AdminClient admin = new AdminClient(List.of(master), Transport.PLAIN, PATIENCE)) {
            admin.found("", PATIENCE);
            RunningRole server = server(dfs);
            await(() -> server.readiness().ready());
            await(() ->
                    admin.ranges().stream().noneMatch(row -> row.getManifest().isEmpty()));
            await(() -> admin.status().getLevel() >= FeatureLevels.DFS);
            end(server);
        }
        end(leader);
    }

    private String copy(String from, String to) {
        assertThat(terminal.run("dfs", "copy", from, to)).as(terminal::said).isEqualTo(ExitCode.OK);
        return terminal.said();
    }

    @Test
    void whoIsLeftWithTheOldDfsIsRefusedAndSaysWhy() {
        String from = dfs("from");
        String to = dfs("to");
        run(from);
        Matcher told = IDS.matcher(copy(from, to));
        assertThat(told.find()).isTrue();
        String copy = told.group(1);
        String original = told.group(2);

        RunningRole leader = master(to);
        await(() -> leader.readiness().ready());
        RunningRole forgotten = server(from);
        await(() -> forgotten.readiness().missing().contains("uses DFS"));
        assertThat(forgotten.readiness().missing())
                .contains("server s1 uses DFS " + original + ", but the files of its cluster are in DFS " + copy
                        + ": correct setting dfs of the server and restart it");
        end(forgotten);
        RunningRole right = server(to);
        await(() -> right.readiness().ready());
        end(right);
        end(leader);

        RunningRole wrong = master(from);
        await(() -> wrong.readiness().missing().contains("uses DFS"));
        assertThat(wrong.readiness().missing())
                .contains("this master uses DFS " + original + ", but the files of its cluster are in DFS " + copy);
    }

    @Test
    void theOldDfsIsNotBackedUpInPlaceOfTheNewOne() {
        String from = dfs("from");
        String to = dfs("to");
        run(from);
        Path backups = dir.resolve("backups");
        RunningRole before = master(from);
        await(() -> backup(from, backups).contains("Backup 1 of cluster "));
        end(before);
        copy(from, to);
        RunningRole leader = master(to);
        await(() -> leader.readiness().ready());

        assertThat(backup(from, backups)).contains("but --dfs is DFS ", "one of them is an old copy");
        assertThat(backup(to, backups)).contains("holds backups of DFS ", "give another folder");
        assertThat(backup(to, dir.resolve("others"))).contains("Backup 1 of cluster ");
    }

    private String backup(String dfs, Path to) {
        terminal.run("backup", to.toString(), "--masters", master, "--dfs", dfs);
        return terminal.said();
    }

    /** The second was never used, so the masters know the first one only. */
    @Test
    void aClusterGoesOnWithTheCopyOfACopy() {
        String first = dfs("first");
        String second = dfs("second");
        String third = dfs("third");
        run(first);
        copy(first, second);
        copy(second, third);

        RunningRole leader = master(third);
        RunningRole server = server(third);
        await(() -> server.readiness().ready());
        end(server);
        end(leader);

        RunningRole wrong = master(second);
        await(() -> wrong.readiness().missing().contains("correct setting dfs"));
    }

    @Test
    void oneNodeUnderTwoNamesIsNoCopyOfItself() {
        String from = dfs("from");
        run(from);

        int status = terminal.run("dfs", "copy", from, from.replace("127.0.0.1", "localhost"));

        assertThat(status).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("FROM and TO are the same DFS, ", "under two names");
    }
}
