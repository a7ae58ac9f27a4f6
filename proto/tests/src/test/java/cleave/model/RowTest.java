package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class RowTest {
    @Test
    void rowComesBackFromTheWire() {
        Row row = new Row(Row.id(17, 3), KeyRange.ofTable(4), new Incarnation("s1", 12), "manifests/17.3", 20, 19);
        Row bare = new Row(Row.id(1, 0), KeyRange.ALL, null, null, 1, 1);
        assertThat(Row.fromWire(row.toWire())).isEqualTo(row);
        assertThat(Row.fromWire(bare.toWire())).isEqualTo(bare);
    }

    @Test
    void idNamesTheCommandAndTheOrdinal() {
        assertThat(Row.idText(Row.id(17, 3))).isEqualTo("17.3");
        assertThat(Row.id(17, Row.ORDINALS - 1)).isLessThan(Row.id(18, 0));
        assertThatThrownBy(() -> Row.id(17, Row.ORDINALS)).isInstanceOf(Invariant.Violation.class);
    }

    @Test
    void rowThatDividesAPartitionIsABugHereAndABadMessageFromOutside() {
        KeyRange dividing = new KeyRange(Key.of(1, "p", "r"), null);
        assertThatThrownBy(() -> new Row(1, dividing, null, null, 1, 1)).isInstanceOf(Invariant.Violation.class);
        cleave.wire.RangeRow wire = cleave.wire.RangeRow.newBuilder()
                .setStart(dividing.startToWire())
                .build();
        assertThatThrownBy(() -> Row.fromWire(wire)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void epochIsNeverAheadOfTheVersion() {
        assertThatThrownBy(() -> new Row(1, KeyRange.ALL, null, null, 1, 2)).isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> Row.fromWire(cleave.wire.RangeRow.newBuilder()
                        .setVersion(1)
                        .setEpoch(2)
                        .build()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
