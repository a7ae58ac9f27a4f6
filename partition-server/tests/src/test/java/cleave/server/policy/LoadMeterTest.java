package cleave.server.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.state.Effect;
import cleave.server.state.Ownership;
import cleave.server.state.StoredSize;
import cleave.server.state.WriteOp;
import cleave.wire.RangeLoad;
import cleave.wire.ScanReply;
import cleave.wire.ScanRow;
import cleave.wire.SplitCandidate;
import cleave.wire.WriteKind;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class LoadMeterTest {
    private static final long TABLE = 7;
    private static final long BEAT = 200_000_000;

    private final Random random = new Random(1);
    private final LoadMeter meter = new LoadMeter(new Ownership(1, 1, KeyRange.ALL), 0);
    private long now;
    private RangeLoad load = RangeLoad.getDefaultInstance();

    /** Sends this many requests a second for this long. */
    private RangeLoad run(double seconds, int perSecond, Runnable request) {
        for (long end = now + (long) (seconds * 1e9); now < end; ) {
            for (int i = 0; i < perSecond / 5; i++) {
                request.run();
            }
            now += BEAT;
            load = meter.measure(new StoredSize(5_000, key("p", 0).partition(), 0.4), now);
        }
        return load;
    }

    private static Key key(String partition, int row) {
        return Key.of(TABLE, partition, String.format("%06d", row));
    }

    private void insert(Key key) {
        byte[] entity = new byte[100];
        meter.wrote(List.of(new WriteOp(WriteKind.INSERT, key, entity, null)), List.of(new Effect.Put(key, entity)));
    }

    private Runnable reads(Supplier<String> partitions) {
        return () -> meter.read(key(partitions.get(), 1), 100);
    }

    private Runnable insertsInto(Supplier<String> partitions) {
        return () -> insert(key(partitions.get(), random.nextInt()));
    }

    private String uniform() {
        return String.format("p%04d", random.nextInt(1000));
    }

    /** The candidate that divides the load best. */
    private static SplitCandidate best(RangeLoad load) {
        return load.getCandidatesList().stream()
                .filter(candidate -> candidate.getHits() >= 100)
                .min((one, other) -> Double.compare(imbalance(one), imbalance(other)))
                .orElseThrow();
    }

    private static double imbalance(SplitCandidate candidate) {
        double all = (double) candidate.getLeft() + candidate.getRight();
        return Math.abs((double) candidate.getLeft() - candidate.getRight()) / all;
    }

    @Test
    void ratesAreTrueAtOnceAndForgottenByTheirHalfLives() {
        run(1, 1000, reads(this::uniform));
        assertThat(load.getEntitiesPerSecond()).isCloseTo(1000, within(20.0));
        assertThat(load.getEntitiesPerSecond5M()).isCloseTo(1000, within(20.0));

        run(30, 1000, reads(this::uniform));
        run(30, 0, () -> {});

        assertThat(load.getEntitiesPerSecond()).isLessThan(1);
        assertThat(load.getEntitiesPerSecond30S()).isCloseTo(500, within(30.0));
        assertThat(load.getEntitiesPerSecond5M()).isBetween(490.0, 950.0);
        assertThat(load.getBytes()).isEqualTo(5_000);
        assertThat(Key.fromWire(load.getMiddle().getAt()).partitionKey()).isEqualTo("p");
        assertThat(load.getMiddle().getLeft()).isEqualTo(0.4);
    }

    @Test
    void whatIsWrittenReadScannedAndMovedIsToldApart() {
        ScanReply.Builder rows = ScanReply.newBuilder().setExamined(40);
        for (int i = 0; i < 10; i++) {
            rows.addRows(
                    ScanRow.newBuilder().setKey(key("p", i).toWire()).setEntity(ByteString.copyFrom(new byte[50])));
        }
        run(2, 100, () -> {
            insert(key("p", 1));
            meter.read(key("p", 1), 100);
            meter.scanned(key("p", 0), rows.build());
            meter.waited(2_000_000);
            meter.worked(1_000_000);
        });

        assertThat(load.getWritten()).isCloseTo(100, within(1.0));
        assertThat(load.getRead()).isCloseTo(100, within(1.0));
        assertThat(load.getScanned()).isCloseTo(4000, within(1.0));
        assertThat(load.getEntitiesPerSecond()).isCloseTo(1200, within(1.0));
        assertThat(load.getRequests()).isCloseTo(300, within(1.0));
        assertThat(load.getBytesMoved()).isCloseTo(70_000, within(100.0));
        assertThat(load.getCpu()).isCloseTo(0.1, within(0.001));
        assertThat(load.getQueueWaitMillis()).isCloseTo(2.0 / 3, within(0.01));
    }

    @Test
    void aUniformLoadHasACandidateNearItsMiddle() {
        run(6, 20_000, reads(this::uniform));

        assertThat(load.getCandidatesList()).hasSizeBetween(18, 20);
        assertThat(imbalance(best(load))).isLessThan(0.15);
        assertThat(Key.fromWire(best(load).getAt()).partitionKey()).isBetween("p0400", "p0600");
        assertThat(load.getHottest().getPart()).isLessThan(0.05);
        assertThat(load.getInsertedBehind()).isZero();
    }

    @Test
    void theMiddleIsThatOfTheLoadNotOfTheKeys() {
        run(6, 5_000, reads(() -> random.nextInt(10) < 8 ? String.format("b%03d", random.nextInt(100)) : uniform()));

        assertThat(Key.fromWire(best(load).getAt()).partitionKey()).startsWith("b");
    }

    @Test
    void scansAreSampledByTheKeysThatTheyReturn() {
        // Each begins in the first partition and returns a hundred others: its start says nothing of where the load is.
        ScanReply.Builder rows = ScanReply.newBuilder().setExamined(100);
        for (int i = 0; i < 100; i++) {
            rows.addRows(ScanRow.newBuilder()
                    .setKey(key(String.format("q%02d", i), 0).toWire()));
        }
        run(6, 200, () -> meter.scanned(Key.beforeTable(TABLE), rows.build()));

        SplitCandidate best = best(load);
        assertThat(Key.fromWire(best.getAt()).partitionKey()).isBetween("q35", "q65");
        assertThat(best.getSpanning()).isEqualTo(best.getLeft() + best.getRight());
    }

    @Test
    void aPopularPartitionIsFoundAmongMany() {
        run(6, 5_000, reads(() -> random.nextInt(10) < 3 ? "hot" : uniform()));

        assertThat(Key.fromWire(load.getHottest().getFirst()).partitionKey()).isEqualTo("hot");
        assertThat(load.getHottest().getPart()).isBetween(0.2, 0.35);
        assertThat(load.getHottest().getSamples()).isGreaterThan(100);
    }

    @Test
    void thereAreBoundsOnBothSidesOfAPopularPartition() {
        run(6, 5_000, reads(() -> random.nextInt(10) < 6 ? "p0500" : uniform()));

        List<SplitCandidate> seen = load.getCandidatesList().stream()
                .filter(candidate -> candidate.getHits() >= 100)
                .toList();
        assertThat(seen).anySatisfy(before -> {
            assertThat(Key.fromWire(before.getAt())).isEqualTo(Key.beforePartition(TABLE, "p0500"));
            assertThat(left(before)).isCloseTo(0.2, within(0.05));
        });
        assertThat(seen).anySatisfy(behind -> {
            assertThat(Key.fromWire(behind.getAt()).partitionKey()).isBetween("p0501", "p0505");
            assertThat(left(behind)).isCloseTo(0.8, within(0.05));
        });
    }

    @Test
    void whereNothingIsFoundThereIsNoBound() {
        ScanReply nothing = ScanReply.newBuilder().setExamined(10).build();
        run(6, 1_000, () -> meter.scanned(Key.afterPartition(TABLE, "p"), nothing));
        run(1, 1_000, reads(this::uniform));

        assertThat(load.getCandidatesList())
                .allSatisfy(candidate ->
                        assertThat(Key.fromWire(candidate.getAt())).isNotEqualTo(Key.afterPartition(TABLE, "p")));
    }

    private static double left(SplitCandidate candidate) {
        return candidate.getLeft() / ((double) candidate.getLeft() + candidate.getRight());
    }

    @Test
    void insertsThatAppendAreToldByTheirDirectionThoughWritersOvertakeEachOther() {
        int[] at = {0};
        run(10, 2_000, () -> insert(key(String.format("t%08d", at[0]++ + random.nextInt(20)), 0)));

        assertThat(load.getInsertedBehind()).isGreaterThan(0.9);
        assertThat(load.getInsertedBefore()).isZero();
        assertThat(imbalance(best(load))).isGreaterThan(0.5);
        assertThat(Key.fromWire(load.getLastPartition()).partitionKey()).isGreaterThan("t00019000");
    }

    @Test
    void insertsThatPrependAreTold() {
        int[] at = {90_000_000};
        run(10, 2_000, () -> insert(key(String.format("t%08d", at[0]--), 0)));

        assertThat(load.getInsertedBefore()).isGreaterThan(0.9);
        assertThat(load.getInsertedBehind()).isZero();
    }

    @Test
    void insertsAllOverHaveNoDirection() {
        run(10, 2_000, insertsInto(() -> "r" + random.nextInt(1_000_000)));

        assertThat(load.getInsertedBehind()).isLessThan(0.02);
        assertThat(load.getInsertedBefore()).isLessThan(0.02);
    }

    @Test
    void candidatesFollowTheLoadWithinSeconds() {
        run(10, 5_000, reads(() -> "a" + random.nextInt(100)));
        run(7, 5_000, reads(() -> "z" + random.nextInt(100)));

        assertThat(Key.fromWire(best(load).getAt()).partitionKey()).startsWith("z");
    }

    @Test
    void anIdleRangeTellsNoCandidates() {
        run(5, 1_000, reads(this::uniform));
        run(60, 0, () -> {});

        assertThat(load.getCandidatesList()).isEmpty();
        assertThat(load.hasHottest()).isFalse();
    }
}
