package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.FeatureLevels;
import cleave.model.manifest.Manifest;
import cleave.server.range.ManifestFiles;
import cleave.wire.ErrorCode;
import cleave.wire.PublishRequest;
import cleave.wire.ReadReply;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints, rolls and publishes, and what is deleted after them. */
class PublishingTest {
    private Cluster cluster;
    private Node server;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1000);
        server = cluster.start("s1");
    }

    private Manifest published() {
        String path = cluster.masters.onlyRow().manifest();
        if (path == null) {
            throw new AssertionError("nothing is published");
        }
        return new ManifestFiles(cluster.dfs).read(path).getNow(null);
    }

    private void writeSome(int from, int count) {
        for (int i = from; i < from + count; i++) {
            assertThat(server.put("row" + i, "value " + i)).isEqualTo(ErrorCode.OK);
        }
    }

    @Test
    void enoughLogMakesACheckpointAndRollsTheLog() {
        String before = server.logPath();
        writeSome(0, 16);
        Manifest manifest = published();
        assertThat(manifest.checkpoints()).hasSize(1);
        assertThat(manifest.logs()).hasSize(2);
        assertThat(manifest.logs().get(0).path()).isEqualTo(before);
        assertThat(manifest.logs().get(0).offset()).isPositive();
        assertThat(server.logPath()).isEqualTo(manifest.logs().get(1).path());
        assertThat(cluster.dfs.isSealed(before)).isTrue();
        writeSome(16, 3);
        assertThat(cluster.dfs.length(server.logPath())).isPositive();
    }

    @Test
    void smallFilesAreInTheManifestFromTheirLevelOn() {
        cluster = Cluster.withCheckpointsAt(1000);
        cluster.masters.level = FeatureLevels.INLINE_FILES - 1;
        server = cluster.start("s1");
        writeSome(0, 16);
        Manifest.FileSet before = published().checkpoints().get(0).files();
        cluster.masters.level = FeatureLevels.INLINE_FILES;
        cluster.settle();
        writeSome(16, 32);
        Manifest.FileSet after = published().checkpoints().get(0).files();

        assertThat(before.inline()).isEmpty();
        assertThat(before.stored()).hasSize(2);
        assertThat(after.inline()).hasSize(1);
        assertThat(after.stored()).allMatch(file -> file.localName().endsWith(".sst"));
        assertThat(cluster.dfs.paths("-checkpoint-"))
                .containsExactlyInAnyOrderElementsOf(
                        after.stored().stream().map(Manifest.File::path).toList());
    }

    @Test
    void checksumsOfFilesAreInTheManifestFromTheirLevelOn() {
        cluster = Cluster.withCheckpointsAt(1000);
        cluster.masters.level = FeatureLevels.FILE_CHECKSUMS - 1;
        server = cluster.start("s1");
        writeSome(0, 16);
        Manifest.FileSet before = published().checkpoints().get(0).files();
        cluster.masters.level = FeatureLevels.FILE_CHECKSUMS;
        cluster.settle();
        writeSome(16, 16);
        Manifest.FileSet after = published().checkpoints().get(0).files();

        assertThat(before.stored()).isNotEmpty().allMatch(file -> file.checksum() == null);
        assertThat(after.stored()).isNotEmpty().allMatch(file -> file.checksum() != null);
    }

    /** Reads a number of times, each by a barrier of its own. */
    private static void readSome(Node server, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(server.value("row0")).isIn(null, "value 0");
        }
    }

    private void serveWithStoredBarriers() {
        cluster = Cluster.withCheckpointsAt(1000);
        cluster.dfs.barriersPerFile = 10;
        server = cluster.start("s1");
    }

    private long publishes() {
        return cluster.masters.commands.stream()
                .filter(each -> each.startsWith("publish"))
                .count();
    }

    @Test
    void aLogThatHoldsManyBarriersIsReplacedAndDeleted() {
        serveWithStoredBarriers();
        readSome(server, 1_000);
        cluster.settle();

        assertThat(cluster.dfs.barriers).isBetween(1_000, 1_100);
        assertThat(publishes()).isBetween(90L, 100L);
        assertThat(published().logs()).hasSizeLessThanOrEqualTo(2);
        assertThat(cluster.dfs.paths("/" + cluster.masters.onlyRow().epoch() + "-").stream()
                        .filter(path -> path.contains("-log-")))
                .hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void whatSuchALogHoldsBesidesBarriersIsKeptUntilACheckpoint() {
        serveWithStoredBarriers();
        writeSome(0, 2);
        String first = server.logPath();
        readSome(server, 200);

        assertThat(published().checkpoints()).isEmpty();
        assertThat(published().logs()).hasSizeLessThanOrEqualTo(3);
        assertThat(published().logs().get(0).path()).isEqualTo(first);

        cluster.loop.advance(Cluster.SETTINGS.checkpointAfterNanos());
        readSome(server, 20);
        assertThat(published().checkpoints()).hasSize(1);
        assertThat(published().logs()).hasSizeLessThanOrEqualTo(2);
        Node second = cluster.start("s2");
        cluster.takeOver("s1", "s2");
        assertThat(second.value("row1")).isEqualTo("value 1");
    }

    @Test
    void aRangeThatIsOnlyReadAndOftenTakenOverKeepsNoLogsOfEarlierOwners() {
        serveWithStoredBarriers();
        readSome(server, 5);
        for (int i = 2; i < 6; i++) {
            Node next = cluster.start("s" + i);
            cluster.takeOver("s" + (i - 1), "s" + i);
            readSome(next, 25);
        }
        assertThat(published().logs()).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void noLogIsReplacedForBarriersThatCostNothing() {
        readSome(server, 1_000);
        cluster.settle();
        assertThat(publishes()).isZero();
    }

    @Test
    void whileNoMasterAnswersALogTakesMoreBarriersAndReadsGoOn() {
        serveWithStoredBarriers();
        cluster.masters.down = true;
        readSome(server, 100);
        cluster.settle();
        assertThat(openLogs()).hasSize(2);

        cluster.masters.down = false;
        cluster.loop.advanceMillis(5_000);
        readSome(server, 5);
        assertThat(openLogs()).hasSize(1);
        assertThat(published().logs()).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void aManifestIsSealedBeforeItsHandleIsClosed() {
        writeSome(0, 100);
        cluster.settle();
        assertThat(publishes()).isPositive();
        assertThat(cluster.dfs.handles()).noneMatch(path -> path.contains("-manifest-"));
        assertThat(cluster.dfs.givenUp()).isEmpty();
    }

    @Test
    void timeMakesACheckpointOfALittleLog() {
        writeSome(0, 1);
        assertThat(published().checkpoints()).isEmpty();
        cluster.loop.advance(Cluster.SETTINGS.checkpointAfterNanos());
        assertThat(published().checkpoints()).hasSize(1);
        int commands = cluster.masters.commands.size();
        cluster.loop.advance(3 * Cluster.SETTINGS.checkpointAfterNanos());
        assertThat(cluster.masters.commands).as("nothing was logged since").hasSize(commands);
    }

    @Test
    void whatIsNoLongerNamedIsDeletedAfterThePublish() {
        writeSome(0, 100);
        cluster.settle();
        Manifest manifest = published();
        String epoch = "/" + cluster.masters.onlyRow().epoch() + "-";
        assertThat(cluster.dfs.paths(epoch).stream().filter(path -> path.contains("-log-")))
                .as("of this epoch; what was made for the one before is left to the sweep")
                .containsExactlyInAnyOrderElementsOf(
                        manifest.logs().stream().map(Manifest.Log::path).toList());
        assertThat(cluster.dfs.paths("-checkpoint-"))
                .containsExactlyInAnyOrderElementsOf(manifest.checkpoints().get(0).files().stored().stream()
                        .map(Manifest.File::path)
                        .toList());
        assertThat(cluster.dfs.paths(epoch).stream().filter(path -> path.contains("-manifest-")))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-log-", "-manifest-"})
    void aPublishLeavesTheFilesOfOthersThatItMeets(String kind) {
        List<String> met = new ArrayList<>();
        cluster.dfs.takeByOthers(path -> path.contains(kind) && met.size() < 2 && met.add(path));
        writeSome(0, 100);
        cluster.loop.advanceMillis(5000);
        writeSome(100, 100);
        cluster.settle();
        assertThat(cluster.dfs.others()).hasSize(2);
        assertThat(cluster.dfs.paths(kind)).containsAll(cluster.dfs.others());
    }

    @Test
    void everythingIsThereAfterManyCheckpointsAndATakeover() {
        writeSome(0, 200);
        Node second = cluster.start("s2");
        cluster.takeOver("s1", "s2");
        for (int i = 0; i < 200; i++) {
            assertThat(second.value("row" + i)).isEqualTo("value " + i);
        }
        assertThat(cluster.masters.commands.size()).isGreaterThan(5);
    }

    @Test
    void whileNoMasterAnswersTheLogGrowsAndWritesGoOn() {
        cluster.masters.down = true;
        String log = server.logPath();
        writeSome(0, 100);
        assertThat(published().checkpoints()).isEmpty();
        assertThat(cluster.dfs.isSealed(log)).isFalse();
        cluster.masters.down = false;
        cluster.loop.advanceMillis(5000);
        assertThat(published().checkpoints()).hasSize(1);
        writeSome(100, 1);
        assertThat(server.value("row99")).isEqualTo("value 99");
    }

    @Test
    void writesGoOnWhileTheLogThatWasLeftCannotBeSealed() {
        String log = server.logPath();
        cluster.dfs.unavailableSealsOf(log, 1_000);
        writeSome(0, 32);
        cluster.settle();
        assertThat(server.logPath()).isNotEqualTo(log);
        assertThat(cluster.dfs.isSealed(log)).isFalse();
        assertThat(publishes()).isEqualTo(1);
        assertThat(cluster.dfs.paths("-checkpoint-"))
                .as("another checkpoint is due, but waits for the seal")
                .hasSameSizeAs(published().checkpoints().get(0).files().stored());

        cluster.dfs.unavailableSealsOf(log, 0);
        cluster.loop.advanceMillis(5_000);
        assertThat(publishes())
                .as("that checkpoint is published, without another write")
                .isEqualTo(2);
        assertThat(openLogs()).hasSize(1);
    }

    @Test
    void aLogThatWasLeftAndNotSealedIsSealedByTheNextOwner() {
        Node second = cluster.start("s2");
        String log = server.logPath();
        cluster.dfs.unavailableSealsOf(log, 1_000);
        writeSome(0, 32);
        cluster.masters.taker = "s2";
        cluster.masters.declareDead(cluster.incarnation("s1"));
        cluster.settle();
        assertThat(server.ranges()).isEmpty();
        assertThat(cluster.dfs.isSealed(log)).isFalse();
        assertThat(cluster.dfs.handles()).as("those of the former owner").noneMatch(path -> path.contains("-s1."));

        cluster.dfs.unavailableSealsOf(log, 0);
        cluster.loop.advanceMillis(5_000);
        assertThat(cluster.dfs.isSealed(log)).isTrue();
        for (int i = 0; i < 32; i++) {
            assertThat(second.value("row" + i)).isEqualTo("value " + i);
        }
    }

    @Test
    void aReadIsConfirmedByABarrierThatALogAnswersAfterItWasLeft() {
        writeSome(0, 2);
        String log = server.logPath();
        cluster.dfs.unavailableSealsOf(log, 1_000);
        cluster.dfs.holdBarrierAnswers();
        Answer<ReadReply> read = Node.read(server.range(), Node.key("row0"));
        writeSome(2, 16);
        assertThat(server.logPath()).isNotEqualTo(log);
        assertThat(read.isGiven()).isFalse();

        int before = cluster.dfs.barriers;
        cluster.dfs.releaseBarrierAnswers();
        cluster.loop.runReady();
        assertThat(Node.valueOf(read.get())).isEqualTo("value 0");
        assertThat(cluster.dfs.barriers).isEqualTo(before);
    }

    @Test
    void aBarrierThatFindsTheLogThatWasLeftSealedIsSentAgain() {
        writeSome(0, 2);
        String log = server.logPath();
        cluster.dfs.holdBarriers(log::equals);
        Answer<ReadReply> read = Node.read(server.range(), Node.key("row0"));
        writeSome(2, 16);
        assertThat(server.logPath()).isNotEqualTo(log);
        assertThat(cluster.dfs.isSealed(log)).isTrue();

        int before = cluster.dfs.barriers;
        cluster.dfs.releaseBarriers();
        cluster.loop.runReady();
        assertThat(Node.valueOf(read.get())).isEqualTo("value 0");
        assertThat(cluster.dfs.barriers).isEqualTo(before + 1);
    }

    @Test
    void aLogThatBreaksBehindOneThatIsNotSealedYetIsReplacedOnceThatIs() {
        String log = server.logPath();
        cluster.dfs.unavailableSealsOf(log, 1_000);
        writeSome(0, 16);
        String next = server.logPath();
        cluster.dfs.holdAppends(path -> path.equals(next));
        Answer<WriteReply> lost =
                Node.send(server.range(), Node.op(WriteKind.INSERT_OR_REPLACE, Node.key("row16"), "lost"));
        cluster.loop.runReady();
        cluster.dfs.breakAppends(next, 0);
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(lost.get().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(cluster.dfs.isSealed(next)).isTrue();
        assertThat(cluster.dfs.isSealed(log)).isFalse();
        assertThat(publishes()).isEqualTo(1);

        cluster.dfs.unavailableSealsOf(log, 0);
        cluster.loop.advanceMillis(5_000);
        assertThat(publishes()).isEqualTo(2);
        writeSome(16, 1);
        assertThat(server.value("row15")).isEqualTo("value 15");
        assertThat(openLogs()).hasSize(1);
    }

    @Test
    void aLogThatWasLeftAndIsGoneEndsTheRange() {
        String log = server.logPath();
        cluster.dfs.unavailableSealsOf(log, 1_000);
        writeSome(0, 16);
        cluster.dfs.delete(log);
        cluster.dfs.unavailableSealsOf(log, 0);
        cluster.loop.advanceMillis(5_000);
        assertThat(server.ranges()).isEmpty();
        assertThat(cluster.dfs.handles()).noneMatch(path -> path.contains("-log-"));
    }

    @Test
    void aPublishWhoseAnswerWasLostIsSentAgainAndTakesEffectOnce() {
        cluster.masters.answersToLose = 1;
        writeSome(0, 16);
        cluster.settle();
        assertThat(cluster.masters.commands.stream().filter(each -> each.startsWith("publish")))
                .hasSize(1);
        writeSome(16, 5);
        assertThat(published().logs()).hasSize(2);
    }

    @Test
    void aDuplicatedPublishAfterTruncationChangesNothing() {
        long version = cluster.masters.onlyRow().version();
        writeSome(0, 16);
        PublishRequest first = PublishRequest.newBuilder()
                .setIncarnation(cluster.incarnation("s1").toWire())
                .setRange(cluster.masters.onlyRow().id())
                .setVersion(version)
                .setManifest(String.valueOf(cluster.masters.onlyRow().manifest()))
                .build();
        writeSome(16, 30);
        String current = String.valueOf(cluster.masters.onlyRow().manifest());
        assertThat(current).isNotEqualTo(first.getManifest());
        assertThat(cluster.masters.publishNow(first).getStatus().getCode()).isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(cluster.masters.onlyRow().manifest()).isEqualTo(current);
        writeSome(46, 1);
    }

    @Test
    void writesGoOnWhileACheckpointIsMadeAndAreReplayedOverIt() {
        server.stores.holdCheckpoints();
        writeSome(0, 30);
        assertThat(published().checkpoints()).isEmpty();
        server.stores.releaseCheckpoints();
        cluster.loop.runReady();
        assertThat(published().checkpoints()).hasSize(1);
        Node second = cluster.start("s2");
        cluster.takeOver("s1", "s2");
        for (int i = 0; i < 30; i++) {
            assertThat(second.value("row" + i)).isEqualTo("value " + i);
        }
    }

    @Test
    void aLogThatFailsWhileACheckpointIsMadeIsReplacedWithoutWaitingForIt() {
        server.stores.holdCheckpoints();
        writeSome(0, 16);
        String log = server.logPath();
        cluster.dfs.holdAppends(path -> path.equals(log));
        Node.send(server.range(), Node.op(WriteKind.INSERT, Node.key("x"), "1"));
        cluster.loop.runReady();
        cluster.dfs.breakAppends(log, 0);
        cluster.settle();
        assertThat(server.put("y", "1")).isEqualTo(ErrorCode.OK);
        server.stores.releaseCheckpoints();
        cluster.settle();
        writeSome(20, 50);
        assertThat(server.value("y")).isEqualTo("1");
    }

    private void breakTheLogWhileACheckpointIsMade() {
        server.stores.holdCheckpoints();
        writeSome(0, 16);
        String log = server.logPath();
        cluster.dfs.holdAppends(path -> path.equals(log));
        Node.send(server.range(), Node.op(WriteKind.INSERT, Node.key("x"), "1"));
        cluster.loop.runReady();
        cluster.dfs.breakAppends(log, 0);
    }

    @Test
    void aCheckpointThatIsReadyBeforeThePublishedLogIsReachedIsPublishedAfterwards() {
        breakTheLogWhileACheckpointIsMade();
        cluster.dfs.unavailableSeals = 1; // The broken log's, which the next one has to wait for.
        cluster.loop.runReady();
        assertThat(published().logs()).as("the next log is published").hasSize(2);
        server.stores.releaseCheckpoints();
        cluster.loop.runReady();
        assertThat(published().checkpoints()).isEmpty();
        cluster.settle();
        assertThat(published().checkpoints()).hasSize(1);
        assertThat(server.put("y", "1")).isEqualTo(ErrorCode.OK);
        assertThat(server.value("row15")).isEqualTo("value 15");
    }

    @Test
    void aCheckpointThatIsReadyWhileALogIsPublishedIsPublishedNext() {
        cluster.masters.holdCommands();
        breakTheLogWhileACheckpointIsMade();
        cluster.loop.runReady();
        server.stores.releaseCheckpoints();
        cluster.loop.runReady();
        cluster.masters.releaseCommands();
        cluster.settle();
        assertThat(published().checkpoints()).hasSize(1);
        assertThat(server.put("y", "1")).isEqualTo(ErrorCode.OK);
    }

    @Test
    void aPublishedLogThatFailsBeforeItIsReachedIsReplaced() {
        String log = server.logPath();
        // The first append under way keeps the current log from being drained, so that the roll waits for it.
        cluster.dfs.holdAppends(path -> path.equals(log));
        cluster.masters.holdCommands();
        for (int i = 0; i < 4; i++) {
            Node.send(server.range(), Node.op(WriteKind.INSERT, Node.key("row" + i), "x".repeat(400)));
            cluster.loop.runReady();
        }
        for (int i = 0; i < 3; i++) {
            cluster.dfs.releaseOneAppend(log);
            cluster.loop.runReady();
        }
        cluster.masters.releaseCommands();
        cluster.loop.runReady();
        String next = server.logPath();
        assertThat(next).isNotEqualTo(log);
        cluster.dfs.seal(next);
        Answer<cleave.wire.ReadReply> read = Node.read(server.range(), Node.key("row0"));
        cluster.settle();
        assertThat(Node.valueOf(read.get())).isEqualTo("UNAVAILABLE");
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(server.put("later", "1")).isEqualTo(ErrorCode.OK);
        assertThat(published().logs().stream().map(Manifest.Log::path)).doesNotContain(next);
        assertThat(server.value("row0")).startsWith("x");
    }

    @Test
    void aDfsThatCannotCreateDelaysTheRoll() {
        cluster.dfs.unavailableCreates = 3;
        writeSome(0, 40);
        cluster.loop.advanceMillis(10_000);
        writeSome(40, 20);
        cluster.loop.advanceMillis(10_000);
        assertThat(published().checkpoints()).hasSize(1);
    }

    @Test
    void aRangeThatEndsWhileItsManifestCannotBeWrittenLeavesNoLogOpen() {
        cluster.dfs.refuseCreates(path -> path.contains("-manifest-"));
        writeSome(0, 40);
        cluster.loop.advanceMillis(1_000);
        assertThat(openLogs()).hasSize(2);
        server.membership.stop();
        cluster.loop.advanceMillis(10_000);
        assertThat(openLogs()).isEmpty();
    }

    private List<String> openLogs() {
        return cluster.dfs.handles().stream()
                .filter(path -> path.contains("-log-"))
                .toList();
    }

    @Test
    void whatATakeoverWouldReplayIsCountedFromTheOpeningOnAndNoLongerThanTheRange() {
        writeSome(0, 5);
        double logged = server.metrics.unpublishedBytes.get();
        assertThat(logged).isPositive();
        Node second = cluster.start("s2");
        cluster.takeOver("s1", "s2");
        assertThat(second.metrics.unpublishedBytes.get()).isEqualTo(logged);
        server.membership.stop();
        cluster.settle();
        assertThat(server.metrics.unpublishedBytes.get()).isZero();
    }
}
