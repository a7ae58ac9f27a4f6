package cleave.server.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.Projection;
import cleave.server.state.EntityCursor;
import cleave.wire.KeyInterval;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks a scan's answer about keys that its cursor passes over. */
final class ScannerTest {
    private static final KeyRange TABLE = KeyRange.ofTable(7);

    private int limit = 1_000;
    private int bytesMax = 1 << 20;
    private long now;

    private static Key key(String row) {
        return Key.of(7, "p", row);
    }

    private static KeyRange from(String row, String until) {
        return new KeyRange(key(row), key(until));
    }

    /** An entity, or an interval that is passed over. */
    private record Step(Key at, @Nullable KeyRange passed) {
        static Step row(String row) {
            return new Step(key(row), null);
        }

        static Step hole(String row, String until) {
            return new Step(key(row), from(row, until));
        }
    }

    private static final class Steps implements EntityCursor {
        private final List<Step> left;

        Steps(List<Step> all) {
            this.left = new ArrayList<>(all);
        }

        @Override
        public boolean valid() {
            return !left.isEmpty();
        }

        @Override
        public byte[] key() {
            return left.get(0).at().bytes();
        }

        @Override
        public @Nullable KeyRange unreadable() {
            return left.get(0).passed();
        }

        @Override
        public byte[] entity() {
            return new byte[0];
        }

        @Override
        public void next() {
            left.remove(0);
        }

        @Override
        public void close() {}
    }

    private ScanReply scan(long stopNanos, Step... steps) {
        ScanSpec spec = new ScanSpec(TABLE, true, null, Projection.of(List.of()), limit, bytesMax, ScanEnd.CUT);
        ScanReply reply = new Scanner(new Steps(List.of(steps)), spec, null).go(() -> now++, stopNanos, nanos -> false);
        return Objects.requireNonNull(reply);
    }

    private static List<KeyRange> unreadable(ScanReply reply) {
        List<KeyRange> all = new ArrayList<>();
        for (KeyInterval each : reply.getUnreadableList()) {
            KeyRange interval = KeyRange.fromWire(each.getStart(), each.getEnd());
            assertThat(interval).isNotNull();
            all.add(interval);
        }
        return all;
    }

    private static Key until(ScanReply reply) {
        return Key.fromWire(reply.getExaminedUntil());
    }

    @Test
    void whatIsPassedOverIsToldInAsFewIntervalsAsThereAre() {
        ScanReply reply = scan(
                Long.MAX_VALUE,
                Step.hole("a", "c"),
                Step.row("b"),
                Step.hole("c", "e"),
                Step.hole("d", "dd"),
                Step.row("f"),
                Step.hole("g", "h"));

        assertThat(unreadable(reply)).containsExactly(from("a", "e"), from("g", "h"));
        assertThat(reply.getRowsCount()).isEqualTo(2);
        assertThat(reply.getExamined()).isEqualTo(2);
        assertThat(reply.getEnded()).isEqualTo(ScanEnd.END_OF_SCAN);
    }

    @Test
    void beyondWhereItStoppedNothingIsTold() {
        limit = 2;
        ScanReply reply = scan(Long.MAX_VALUE, Step.hole("a", "z"), Step.row("b"), Step.row("c"), Step.row("d"));

        assertThat(reply.getEnded()).isEqualTo(ScanEnd.STOPPED);
        assertThat(until(reply)).isEqualTo(key("d"));
        assertThat(unreadable(reply)).containsExactly(from("a", "d"));
    }

    /** A row without content counts as 16 bytes and its key. */
    @Test
    void anAnswerThatIsAsLargeAsWasAskedForIsCutUnlessItIsWholeAnyway() {
        bytesMax = 1;
        ScanReply cut = scan(Long.MAX_VALUE, Step.row("a"), Step.row("b"));
        assertThat(cut.getEnded()).isEqualTo(ScanEnd.CUT);
        assertThat(cut.getRowsCount()).isEqualTo(1);
        assertThat(until(cut)).isEqualTo(key("b"));

        assertThat(scan(Long.MAX_VALUE, Step.row("a")).getEnded()).isEqualTo(ScanEnd.END_OF_SCAN);
        limit = 1;
        assertThat(scan(Long.MAX_VALUE, Step.row("a"), Step.row("b")).getEnded())
                .isEqualTo(ScanEnd.STOPPED);
    }

    @Test
    void aScanWithoutTimeStillGetsPastItsFirstKey() {
        ScanReply holes = scan(0, Step.hole("a", "b"), Step.hole("b", "c"), Step.hole("c", "d"));
        assertThat(until(holes)).isEqualTo(key("b"));
        assertThat(unreadable(holes)).containsExactly(from("a", "b"));

        limit = 1;
        ScanReply both = scan(0, Step.hole("a", "c"), Step.row("a"), Step.row("b"));
        assertThat(both.getRowsCount()).isEqualTo(1);
        assertThat(until(both)).isEqualTo(key("b"));
        assertThat(unreadable(both)).containsExactly(from("a", "b"));
    }

    @Test
    void anAnswerTellsOfSoManyIntervalsAndNoMore() {
        Step[] steps = new Step[2_000];
        for (int i = 0; i < steps.length; i += 2) {
            steps[i] = Step.hole("r%04d".formatted(i), "r%04d-".formatted(i));
            steps[i + 1] = Step.row("r%04d".formatted(i + 1));
        }
        ScanReply reply = scan(Long.MAX_VALUE, steps);

        assertThat(reply.getEnded()).isEqualTo(ScanEnd.STOPPED);
        assertThat(reply.getUnreadableCount()).isBetween(100, 200);
        assertThat(reply.getRowsCount()).isEqualTo(reply.getUnreadableCount() - 1);
        assertThat(ByteString.copyFrom(key("r0000").bytes()))
                .isEqualTo(reply.getUnreadable(0).getStart());
    }
}
