package cleave.deploy.play;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.CommandFailure;
import cleave.deploy.TestTerminal;
import cleave.deploy.access.Deployment;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.ServedRanges;
import cleave.deploy.cluster.LocalCluster;
import cleave.deploy.terminal.Wait;
import cleave.wire.MasterPeer;
import cleave.wire.RangeRow;
import cleave.wire.StatusReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links between the processes of a played cluster are cut under checked load, and healed. {@code PlayPageIT} cuts one on the page, in each build. */
@Tag("nightly")
class PlayedLinksIT {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Pattern ANSWERED = Pattern.compile("\"answered\":(\\d+)");
    private static final int MORE = 200;

    @TempDir
    private Path dir;

    private final TestTerminal terminal = new TestTerminal();

    private void start(String... more) {
        List<String> cluster =
                List.of("cluster", "--dir", dir.toString(), "--port", "0", "--wait", "400", "--servers", "2");
        assertThat(terminal.run(cluster, more)).as(terminal::said).isZero();
    }

    @AfterEach
    void stop() {
        LocalCluster.in(dir).stop();
    }

    @Test
    void aServerThatIsCutOffFromTheMastersOrFromTheDfsLosesItsRangesAndNothingElse() {
        start("--play", "--masters", "3", "--front-ends", "1");
        Deployment deployment = Deployment.load(dir);
        try (LocalPlay play = LocalPlay.ofCluster(dir);
                AdminClient admin = AdminClient.of(deployment.masters(), deployment.tls())) {
            play.act(Map.of("do", "load", "load", "uniform"));
            awaitAnswers(play, MORE);
            ownerIsCutOffFrom("master", 3, play, admin);
            ownerIsCutOffFrom("dfs", 1, play, admin);

            String leader = leader(admin.status());
            String led = leader.substring("master-".length());
            play.act(Map.of("do", "cut", "role", "master", "number", led, "partner", "master"));
            await(admin, "another master leads", status -> !leader(status).equals(leader));
            awaitAnswers(play, answered(play) + MORE);
            play.act(Map.of("do", "heal"));
            awaitAnswers(play, answered(play) + MORE);

            assertThat(LocalCluster.in(dir).cutLinks()).isEmpty();
            assertThat(state(play)).contains("\"lost\":0", "\"wrong\":0");
        }
    }

    private void ownerIsCutOffFrom(String partner, int links, LocalPlay play, AdminClient admin) {
        String owner = owner(admin.status());
        String number = owner.substring("server-".length());

        play.act(Map.of("do", "cut", "role", "server", "number", number, "partner", partner));
        await(
                admin,
                "the other server serves all, since " + owner + " is cut off from " + partner,
                status -> ServedRanges.of(status).isAll()
                        && status.getMap().getRowsList().stream()
                                .noneMatch(row -> row.getOwner().getServer().equals(owner)));
        awaitAnswers(play, answered(play) + MORE);
        assertThat(LocalCluster.in(dir).cutLinks()).hasSize(links);
        play.act(Map.of("do", "heal", "role", "server", "number", number, "partner", partner));
        await(
                admin,
                "it is back",
                status -> status.getSeenList().stream()
                        .anyMatch(seen -> seen.getIncarnation().getServer().equals(owner)));
    }

    private static String owner(StatusReply status) {
        return status.getMap().getRowsList().stream()
                .map(RangeRow::getOwner)
                .findFirst()
                .orElseThrow()
                .getServer();
    }

    /** The id of the master that says that it leads; a status is never of another. */
    private static String leader(StatusReply status) {
        return status.getPeersList().stream()
                .filter(peer -> peer.getRole().equals("LEADER"))
                .map(MasterPeer::getId)
                .findFirst()
                .orElse("none");
    }

    private static void await(AdminClient admin, String what, Predicate<StatusReply> condition) {
        boolean isThere = Wait.until(
                () -> {
                    try {
                        return condition.test(admin.status());
                    } catch (CommandFailure noLeader) {
                        return false;
                    }
                },
                PATIENCE,
                PAUSE);
        assertThat(isThere).as(what).isTrue();
    }

    private static void awaitAnswers(LocalPlay play, long least) {
        boolean isThere = Wait.until(() -> answered(play) >= least, PATIENCE, PAUSE);
        assertThat(isThere).as(() -> least + " answers: " + state(play)).isTrue();
    }

    private static long answered(LocalPlay play) {
        Matcher found = ANSWERED.matcher(state(play));
        assertThat(found.find()).isTrue();
        return Long.parseLong(found.group(1));
    }

    private static String state(LocalPlay play) {
        return new String(play.state(), UTF_8);
    }
}
