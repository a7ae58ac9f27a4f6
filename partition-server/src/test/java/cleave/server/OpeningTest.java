package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.server.range.ManifestFiles;
import cleave.wire.ErrorCode;
import cleave.wire.WriteKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening a range: seal, fetch, replay, commit; and what stops it. */
class OpeningTest {
    private Cluster cluster;
    private Node first;

    @BeforeEach
    void serve() {
        cluster = new Cluster();
        first = cluster.start("s1");
        for (int i = 0; i < 5; i++) {
            first.put("row" + i, "v" + i);
        }
    }

    @Test
    void theFirstStartOpensAnEmptyRangeOverTheWholeKeySpace() {
        Cluster fresh = new Cluster();
        Node server = fresh.start("s1");
        assertThat(server.range().ownership().interval()).isEqualTo(cleave.model.KeyRange.ALL);
        assertThat(fresh.masters.onlyRow().owner()).isEqualTo(fresh.incarnation("s1"));
        assertThat(server.value("a")).isNull();
    }

    @Test
    void everyLogIsSealedBeforeTheRangeIsServed() {
        String log = first.logPath();
        cluster.start("s2");
        cluster.takeOver("s1", "s2");
        assertThat(cluster.dfs.isSealed(log)).isTrue();
    }

    @Test
    void aCommitWhoseAnswerWasLostIsSentAgain() {
        Node second = cluster.start("s2");
        cluster.masters.answersToLose = 2;
        cluster.takeOver("s1", "s2");
        assertThat(second.value("row0")).isEqualTo("v0");
        assertThat(cluster.masters.commands.stream().filter(each -> each.startsWith("handoff")))
                .hasSize(2);
    }

    /** As a leader does with a range whose owner has no space. */
    @Test
    void filesThatARowMayNameStayWhenTheCommitIsRepeatedAndTheRowHasMovedOn() {
        Node second = cluster.start("s2");
        Node third = cluster.start("s3");
        cluster.masters.answersToLose = 1;
        cluster.masters.whenAnswerIsLost = () -> {
            Row row = cluster.masters.onlyRow();
            long next = row.version() + 1;
            cluster.masters.rows.put(
                    row.id(), new Row(row.id(), row.range(), cluster.incarnation("s3"), row.manifest(), next, next));
        };
        cluster.takeOver("s1", "s2");

        assertThat(second.ranges()).isEmpty();
        assertThat(third.value("row0")).isEqualTo("v0");
        assertThat(cluster.dfs.paths("-s2.")).hasSize(2).allMatch(cluster.dfs::exists);
    }

    @Test
    void untilItsCommitATakerAnswersNothing() {
        Node second = cluster.start("s2");
        cluster.masters.holdCommands();
        cluster.takeOver("s1", "s2");
        assertThat(second.ranges()).isEmpty();
        cluster.masters.releaseCommands();
        cluster.settle();
        assertThat(second.value("row0")).isEqualTo("v0");
    }

    /** Each answer of the DFS takes its time, so what does not depend on another is asked for together. */
    @Test
    void whileTheStoreIsBeingOpenedTheLogIsReadAndTheNewFilesAreMade() {
        String log = first.logPath();
        Node second = cluster.start("s2");
        second.stores.holdOpens();
        cluster.dfs.holdCreates(path -> path.contains("-s2.") && path.contains("-log-"));
        cluster.takeOver("s1", "s2");

        assertThat(cluster.dfs.reads).contains(log);
        assertThat(cluster.dfs.paths("-s2."))
                .anyMatch(path -> path.contains("-manifest-") && cluster.dfs.isSealed(path));
        assertThat(second.ranges()).isEmpty();

        cluster.dfs.releaseCreates();
        second.stores.releaseOpens();
        cluster.settle();
        assertThat(second.value("row4")).isEqualTo("v4");
    }

    /** The masters leave a range to a server whose openings make progress. */
    @Test
    void heartbeatsTellOfTheProgressOfOpenings() {
        for (int i = 0; i < 1_000; i++) {
            first.put("row" + i, "v" + i);
        }
        cluster.start("s2");
        assertThat(progress()).isZero();
        cluster.masters.holdCommands();
        cluster.takeOver("s1", "s2");
        Long replayed = progress();
        assertThat(replayed).as("records of the log, and some steps").isBetween(1_005L, 1_100L);

        cluster.masters.releaseCommands();
        cluster.settle();
        assertThat(progress()).as("what has ended counts on").isEqualTo(replayed);
    }

    private @Nullable Long progress() {
        return cluster.masters.openingProgress.get(cluster.incarnation("s2"));
    }

    @Test
    void aDamagedLogStopsTheOpeningAndIsReported() {
        String log = first.logPath();
        Node second = cluster.start("s2");
        cluster.dfs.flip(log, 60);
        cluster.takeOver("s1", "s2");
        assertThat(second.ranges()).isEmpty();
        assertThat(second.metrics.opens.labels("failed").get()).isPositive();
        assertThat(second.stores.open).isZero();
        assertThat(second.membership.readiness().ready()).isTrue();
    }

    @Test
    void aFailedAttemptIsRepeatedWhileTheOrderStands() {
        Node second = cluster.start("s2");
        cluster.dfs.unavailableSealsOf(first.logPath(), 2);
        cluster.takeOver("s1", "s2");
        cluster.settle();
        assertThat(second.value("row4")).isEqualTo("v4");
        assertThat(second.metrics.opens.labels("failed").get()).isEqualTo(2);
        assertThat(cluster.dfs.paths("-s2.").stream().filter(path -> path.contains("-log-")))
                .as("failed attempts leave nothing behind")
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-log-", "-manifest-"})
    void anOpeningLeavesTheFilesOfOthersThatItMeets(String kind) {
        Node second = cluster.start("s2");
        cluster.dfs.takeByOthers(path -> path.contains("-s2.") && path.contains(kind));
        cluster.takeOver("s1", "s2");
        assertThat(second.metrics.opens.labels("failed").get()).isPositive();
        cluster.dfs.takeByOthers(path -> false);
        cluster.loop.advanceMillis(10_000);
        assertThat(second.value("row4")).isEqualTo("v4");
        assertThat(cluster.dfs.others()).isNotEmpty();
        assertThat(cluster.dfs.paths("-s2.")).containsAll(cluster.dfs.others());
    }

    @Test
    void aFileThatIsMadeWhenItsOpeningWasGivenUpIsDeleted() {
        Node second = cluster.start("s2");
        cluster.dfs.holdCreates(path -> path.contains("-s2.") && path.contains("-log-"));
        cluster.dfs.unavailableSealsOf(first.logPath(), 1);
        cluster.takeOver("s1", "s2");
        cluster.dfs.releaseCreates();
        cluster.loop.advanceMillis(10_000);
        assertThat(second.value("row4")).isEqualTo("v4");
        assertThat(cluster.dfs.paths("-s2.").stream().filter(path -> path.contains("-log-")))
                .hasSize(1);
        assertThat(cluster.dfs.handles())
                .filteredOn(path -> path.contains("-s2."))
                .hasSize(1);
    }

    @Test
    void aTakerDeclaredDeadDuringTheOpeningStopsAndRegistersAnew() {
        Node second = cluster.start("s2");
        cluster.masters.holdCommands();
        cluster.takeOver("s1", "s2");
        cluster.masters.declareDead(cluster.incarnation("s2"));
        cluster.masters.releaseCommands();
        cluster.loop.advanceMillis(3000);
        assertThat(second.value("row0")).isEqualTo("v0");
        assertThat(second.stores.open).isEqualTo(1);
    }

    @Test
    void aTakerDeclaredDeadAfterACommitOfUnknownOutcomeLeavesWhatTheRowMayName() {
        Node second = cluster.start("s2");
        cluster.masters.holdCommands();
        cluster.takeOver("s1", "s2");
        cluster.masters.giveUpOldest().run();
        Manifest named = manifest(String.valueOf(cluster.masters.onlyRow().manifest()));
        assertThat(cluster.masters.onlyRow().owner()).isEqualTo(cluster.incarnation("s2"));
        cluster.masters.declareDead(cluster.incarnation("s2"));
        cluster.masters.releaseCommands();
        cluster.loop.advanceMillis(5000);
        for (Manifest.Log log : named.logs()) {
            assertThat(cluster.dfs.paths(log.path())).as(log.path()).hasSize(1);
        }
        assertThat(second.value("row0")).isEqualTo("v0");
        assertThat(second.put("row5", "v5")).isEqualTo(ErrorCode.OK);
    }

    private Manifest manifest(String path) {
        return new ManifestFiles(cluster.dfs).read(path).getNow(null);
    }

    @Test
    void manyTakeoversInARowLoseNothing() {
        Node second = cluster.start("s2");
        Node at = first;
        for (int round = 0; round < 12; round++) {
            String from = round % 2 == 0 ? "s1" : "s2";
            String to = round % 2 == 0 ? "s2" : "s1";
            at = round % 2 == 0 ? second : first;
            cluster.cutOff.remove(to);
            cluster.takeOver(from, to);
            cluster.loop.advanceMillis(3000);
            assertThat(at.put("round" + round, "1")).isEqualTo(ErrorCode.OK);
        }
        for (int round = 0; round < 12; round++) {
            assertThat(at.value("round" + round)).isEqualTo("1");
        }
        assertThat(at.value("row0")).isEqualTo("v0");
        assertThat(at.write(WriteKind.INSERT, Node.key("row0"), "x").getStatus().getCode())
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
    }
}
