package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class KeyRangeTest {
    private static KeyRange range(String start, @Nullable String end) {
        return new KeyRange(Key.beforePartition(1, start), end == null ? null : Key.beforePartition(1, end));
    }

    @Test
    void rangeHoldsItsStartAndNotItsEnd() {
        assertThat(range("b", "d").contains(Key.beforePartition(1, "b"))).isTrue();
        assertThat(range("b", "d").contains(Key.of(1, "c", ""))).isTrue();
        assertThat(range("b", "d").contains(Key.beforePartition(1, "d"))).isFalse();
        assertThat(range("b", null).contains(Key.of(-1, "z", ""))).isTrue();
        assertThat(KeyRange.ALL.contains(Key.MIN)).isTrue();
    }

    @Test
    void rangeHoldsRangesWithinIt() {
        assertThat(range("b", "d").contains(range("b", "d"))).isTrue();
        assertThat(range("b", "d").contains(range("b", "e"))).isFalse();
        assertThat(range("b", "d").contains(range("b", null))).isFalse();
        assertThat(KeyRange.ALL.contains(range("b", null))).isTrue();
    }

    @Test
    void intersectionIsWhatBothHold() {
        assertThat(range("a", "c").intersection(range("b", "d"))).isEqualTo(range("b", "c"));
        assertThat(range("a", null).intersection(range("b", "d"))).isEqualTo(range("b", "d"));
        assertThat(range("a", null).intersection(range("b", null))).isEqualTo(range("b", null));
        assertThat(range("a", "b").intersection(range("b", "d"))).isNull();
        assertThat(range("a", "b").overlaps(range("c", null))).isFalse();
    }

    @Test
    void intervalsWithNothingBetweenThemAreJoined() {
        assertThat(range("a", "c").joined(range("b", "d"))).isEqualTo(range("a", "d"));
        assertThat(range("a", "c").joined(range("c", null))).isEqualTo(range("a", null));
        assertThat(range("a", "d").joined(range("b", "c"))).isEqualTo(range("a", "d"));
        assertThat(range("a", null).joined(range("b", "c"))).isEqualTo(range("a", null));
        assertThat(range("a", "b").joined(range("c", "d"))).isNull();
        assertThat(range("b", "c").joined(range("a", "d"))).isNull();
    }

    @Test
    void emptyIntervalIsABugHereAndAnAnswerFromTheWire() {
        assertThatThrownBy(() -> range("b", "b")).isInstanceOf(Invariant.Violation.class);
        assertThat(KeyRange.fromWire(
                        range("c", null).startToWire(), range("b", null).startToWire()))
                .isNull();
        assertThat(KeyRange.fromWire(ByteString.EMPTY, ByteString.EMPTY)).isEqualTo(KeyRange.ALL);
    }

    @Test
    void boundInsideAPartitionDividesIt() {
        assertThat(range("b", "d").isOfWholePartitions()).isTrue();
        assertThat(new KeyRange(Key.of(1, "b", "x"), null).isOfWholePartitions())
                .isFalse();
        assertThat(new KeyRange(Key.MIN, Key.of(1, "b", "x")).isOfWholePartitions())
                .isFalse();
    }

    @Test
    void lastTableGoesToTheEndOfTheKeySpace() {
        assertThat(KeyRange.ofTable(-1).end()).isNull();
        assertThat(KeyRange.ofTable(1).contains(Key.beforeTable(2))).isFalse();
    }
}
