package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class KeyPropertyTest {
    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.oneOf(Texts.few(3), Texts.keys(8));
    }

    @Provide
    Arbitrary<Long> tables() {
        return Arbitraries.of(0L, 1L, 255L, 256L, -1L, Long.MAX_VALUE, Long.MIN_VALUE);
    }

    @Property(tries = 5000)
    void keysAreOrderedByTableThenPartitionThenRow(
            @ForAll("tables") long tableA,
            @ForAll("texts") String partitionA,
            @ForAll("texts") String rowA,
            @ForAll("tables") long tableB,
            @ForAll("texts") String partitionB,
            @ForAll("texts") String rowB) {
        int expected = Long.compareUnsigned(tableA, tableB);
        expected = expected != 0 ? expected : byCodePoints(partitionA, partitionB);
        expected = expected != 0 ? expected : byCodePoints(rowA, rowB);
        int order = Key.of(tableA, partitionA, rowA).compareTo(Key.of(tableB, partitionB, rowB));
        assertThat(Integer.signum(order)).isEqualTo(Integer.signum(expected));
    }

    private static int byCodePoints(String a, String b) {
        return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }

    @Property
    void keyGivesBackWhatItWasMadeOf(
            @ForAll("tables") long table, @ForAll("texts") String partition, @ForAll("texts") String row) {
        Key key = Key.of(table, partition, row);
        assertThat(key.table()).isEqualTo(table);
        assertThat(key.partitionKey()).isEqualTo(partition);
        assertThat(key.rowKey()).isEqualTo(row);
        assertThat(key.isEntity()).isTrue();
        assertThat(Key.fromWire(key.toWire())).isEqualTo(key).hasSameHashCodeAs(key);
    }

    @Property
    void boundsLieAroundThePartition(
            @ForAll("tables") long table, @ForAll("texts") String partition, @ForAll("texts") String row) {
        Key key = Key.of(table, partition, row);
        assertThat(Key.beforePartition(table, partition)).isLessThan(key);
        assertThat(Key.afterPartition(table, partition)).isGreaterThan(key);
        assertThat(Key.beforeTable(table)).isLessThan(key);
        assertThat(KeyRange.ofTable(table).contains(key)).isTrue();
        assertThat(Key.beforePartition(table, partition).isBound()).isTrue();
        assertThat(key.next()).isGreaterThan(key);
    }

    @Property
    void samePartitionIsSameTableAndPartitionKey(
            @ForAll("texts") String partitionA, @ForAll("texts") String partitionB, @ForAll("texts") String row) {
        Key key = Key.of(5, partitionA, row);
        assertThat(key.isOfSamePartitionAs(Key.of(5, partitionB, "r"))).isEqualTo(partitionA.equals(partitionB));
        assertThat(key.isOfSamePartitionAs(Key.of(6, partitionA, row))).isFalse();
        assertThat(key.isOfSamePartitionAs(Key.beforePartition(5, partitionA))).isFalse();
    }

    @Example
    void keysAreWrittenForPeople() {
        assertThat(Key.of(5, "de", "0042")).hasToString("5/de/0042");
        assertThat(Key.beforePartition(5, "de")).hasToString("5/de");
        assertThat(Key.beforeTable(5)).hasToString("5");
        assertThat(Key.MIN).hasToString("-");
    }

    @Example
    void keyIsItsBytes() {
        byte[] bytes = "\0\0\0\0\0\0\0\5p\0r".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(Key.of(5, "p", "r").bytes()).isEqualTo(bytes);
        assertThat(Key.wrap(bytes)).isEqualTo(Key.of(5, "p", "r"));
        assertThat(Key.wrap(new byte[0])).isSameAs(Key.MIN);
    }
}
