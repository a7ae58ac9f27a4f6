package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
import cleave.deploy.admin.AdminClient;
import cleave.model.FeatureLevels;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster moves to a copy of its DFS, and its processes are started with the wrong one: roles over TCP, in this process. */
@Timeout(300)
class MovedDfsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern IDS = Pattern.compile("that is DFS (\\S+);.*left with DFS (\\S+) will be refused");

    @TempDir
    private Path dir;

    private RunningRoles roles;
    private String master;
    private String raft;
    private final TestTerminal terminal = new TestTerminal();

    @BeforeEach
    void begin() {
        roles = new RunningRoles(dir);
        master = roles.address();
        raft = roles.address();
    }

    @AfterEach
    void close() {
        roles.close();
    }

    /** Starts another node; its URI. */
    private String dfs(String name) {
        return roles.dfs(name, "0");
    }

    private RunningRole master(String dfs) {
        return roles.master("m1", master, raft, "m1=" + raft + "=" + master, dfs);
    }

    private RunningRole server(String dfs) {
        return roles.server(master, dfs, Map.of("server.drain-deadline", "0"));
    }

    private static void await(BooleanSupplier condition) {
        Await.until("the condition", condition::getAsBoolean);
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
            roles.end(server);
        }
        roles.end(leader);
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
        roles.end(forgotten);
        RunningRole right = server(to);
        await(() -> right.readiness().ready());
        roles.end(right);
        roles.end(leader);

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
        roles.end(before);
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
        roles.end(server);
        roles.end(leader);

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
