package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.DfsException.Reason;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.model.manifest.Manifest;
import cleave.server.range.ManifestFiles;
import cleave.server.settings.ScrubSettings;
import cleave.wire.ErrorCode;
import cleave.wire.WriteKind;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The scrub reads, slowly, what is at rest, and repairs what is damaged in one place from another. */
class ScrubTest {
    private static final long RATE = 64 << 10;
    /** So short that no checkpoint is made meanwhile because time has passed. */
    private static final long EVERY_SECONDS = 60;

    private static final ScrubSettings SETTINGS = new ScrubSettings(RATE, EVERY_SECONDS * 1_000_000_000L);

    private Cluster cluster;
    private Node server;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1000);
        server = started(SETTINGS);
        writeSome("");
    }

    private Node started(ScrubSettings settings) {
        cluster.scrub = settings;
        return cluster.start("s1");
    }

    /** Makes a checkpoint. */
    private void writeSome(String more) {
        for (int i = 0; i < 20; i++) {
            assertThat(server.put("row" + i, "value " + i + more)).isEqualTo(ErrorCode.OK);
        }
        cluster.settle();
    }

    private Manifest published() {
        return new ManifestFiles(cluster.dfs).read(manifestPath()).getNow(null);
    }

    private String manifestPath() {
        return String.valueOf(cluster.masters.onlyRow().manifest());
    }

    private Manifest.File checkpointFile() {
        return published().checkpoints().get(0).files().stored().get(0);
    }

    /** Until the next round has ended. */
    private void scrub() {
        pass(EVERY_SECONDS);
    }

    private void pass(long seconds) {
        cluster.loop.advanceMillis(seconds * 1000);
    }

    private double damaged(String place) {
        return server.metrics.scrubDamaged.labels(place).get();
    }

    /** A file of some pieces, so that the pace shows within it, too. */
    @Test
    void readingKeepsToTheRate() {
        for (int i = 0; i < 30; i++) {
            server.put("large" + i, "x".repeat(30_000));
        }
        cluster.settle();
        double completed = server.metrics.scrubRoundTimestampSeconds.get();
        while (server.metrics.scrubRoundTimestampSeconds.get() == completed) {
            pass(1);
        }
        long begun = (long) server.metrics.scrubbedBytes.get();
        long whole = 2
                * published().checkpoints().get(0).files().stored().stream()
                        .mapToLong(Manifest.File::length)
                        .sum();
        long step = 2L * (256 << 10);
        while (server.metrics.scrubbedBytes.get() == begun) {
            pass(1);
        }
        long read = 0;
        for (int second = 1; read < whole; second++) {
            read = (long) server.metrics.scrubbedBytes.get() - begun;
            assertThat(read).isLessThanOrEqualTo(step + second * RATE);
            assertThat(read).isGreaterThanOrEqualTo(Math.min(whole, second * RATE - step));
            pass(1);
        }
    }

    @Test
    void theRangesAreReadOneAfterTheOther() {
        Row row = cluster.masters.onlyRow();
        cluster.split("s1", row, List.of(Key.beforePartition(7, "q")), "s1", "s1");
        cluster.settle();
        for (int i = 0; i < 40; i++) {
            server.write(WriteKind.INSERT_OR_REPLACE, Key.of(7, i % 2 == 0 ? "p" : "r", "row" + i), "v".repeat(100));
        }
        cluster.settle();
        scrub();
        cluster.dfs.reads.clear();
        scrub();

        assertThat(cluster.dfs.reads.stream()
                        .filter(path -> path.contains("-manifest-"))
                        .map(path -> path.split("/")[1]))
                .as("the manifest is the last file of a range")
                .containsExactlyElementsOf(server.ranges().stream()
                        .map(range -> Row.idText(range.ownership().range()))
                        .toList());
    }

    @Test
    void bytesThatChangeOnTheirWayAreReadAgain() {
        String path = checkpointFile().path();
        AtomicInteger reads = new AtomicInteger();
        cluster.dfs.unreadable = read -> read.equals(path) && reads.incrementAndGet() == 1 ? Reason.DAMAGED : null;
        scrub();

        assertThat(reads).hasValueGreaterThan(1);
        assertThat(damaged("dfs")).isZero();
        assertThat(checkpointFile().path()).isEqualTo(path);
    }

    private void rotLocally() {
        assertThat(server.stores.rot(new Random(1), false)).isNotNull();
    }

    @Test
    void aDfsThatHealsIsSeen() {
        Manifest.File file = checkpointFile();
        rotLocally();
        cluster.dfs.unreadable = path -> path.equals(file.path()) ? Reason.DAMAGED : null;
        scrub();
        assertThat(server.range().damagedFiles()).containsExactly(file.path());

        cluster.dfs.unreadable = path -> null;
        while (server.metrics.storeFailures.get() == 0) {
            pass(1);
        }
        pass(10);
        assertThat(server.metrics.storeFailures.get()).as("it opens again").isEqualTo(1);
        assertThat(server.range().damagedFiles()).isEmpty();
    }

    @Test
    void aFileThatANewerManifestReplacesWhileItIsReadIsNotMissed() {
        String path = checkpointFile().path();
        scrub();
        cluster.dfs.reads.clear();
        cluster.dfs.unreadable = read -> read.equals(path) ? Reason.DELETED : null;
        cluster.dfs.readAnswers.hold(path::equals);
        scrub();
        assertThat(cluster.dfs.reads).endsWith(path);
        server.stores.merge();
        writeSome(" more");
        cluster.dfs.readAnswers.release();
        scrub();
        assertThat(checkpointFile().path()).isNotEqualTo(path);

        assertThat(damaged("dfs") + damaged("local")).isZero();
    }

    @Test
    void aRoundThatCouldNotReadAllIsNotComplete() {
        double began = server.metrics.scrubRoundTimestampSeconds.get();
        assertThat(began).isPositive();
        scrub();
        double first = server.metrics.scrubRoundTimestampSeconds.get();
        assertThat(first).isGreaterThan(began);
        String path = checkpointFile().path();
        cluster.dfs.unreadable = read -> read.equals(path) ? Reason.UNAVAILABLE : null;
        scrub();
        assertThat(server.metrics.scrubRoundTimestampSeconds.get()).isEqualTo(first);
        assertThat(damaged("dfs")).isZero();

        cluster.dfs.unreadable = read -> null;
        scrub();
        assertThat(server.metrics.scrubRoundTimestampSeconds.get())
                .isBetween(first + EVERY_SECONDS, (double) cluster.loop.ticks() / Ticks.PER_SECOND);
    }
}
