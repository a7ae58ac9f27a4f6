package cleave.model.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Invariant;
import cleave.model.manifest.DroppedTables.Interval;
import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class DroppedTablesPropertyTest {
    private static final List<Long> EDGES = List.of(0L, 1L, Long.MAX_VALUE, Long.MIN_VALUE, -2L, -1L);

    @Provide
    Arbitrary<List<Long>> ids() {
        return Arbitraries.oneOf(Arbitraries.longs().between(0, 30), Arbitraries.of(EDGES))
                .list()
                .ofMaxSize(25);
    }

    private static DroppedTables of(List<Long> ids) {
        DroppedTables dropped = DroppedTables.NONE;
        for (long id : ids) {
            dropped = dropped.plus(id);
        }
        return dropped;
    }

    @Property
    void holdsExactlyWhatWasAdded(@ForAll("ids") List<Long> ids) {
        DroppedTables dropped = of(ids);
        for (long id = 0; id <= 32; id++) {
            assertThat(dropped.contains(id)).isEqualTo(ids.contains(id));
        }
        for (long id : EDGES) {
            assertThat(dropped.contains(id)).isEqualTo(ids.contains(id));
        }
    }

    @Property
    void unionIsTheSameSetAsAddingAll(@ForAll("ids") List<Long> a, @ForAll("ids") List<Long> b) {
        List<Long> both = new java.util.ArrayList<>(a);
        both.addAll(b);
        assertThat(of(a).union(of(b))).isEqualTo(of(both)).isEqualTo(of(b).union(of(a)));
    }

    @Property
    void neighboursAreOneInterval(@ForAll("ids") List<Long> ids) {
        TreeSet<Long> sorted = new TreeSet<>(Long::compareUnsigned);
        sorted.addAll(ids);
        long beginnings = sorted.stream()
                .filter(id -> id == 0 || !sorted.contains(id - 1))
                .count();
        assertThat(of(ids).intervals()).hasSize((int) beginnings);
    }

    @Example
    void intervalsThatTouchOrFallAreABug() {
        assertThatThrownBy(() -> new DroppedTables(List.of(new Interval(1, 2), new Interval(3, 4))))
                .isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> new DroppedTables(List.of(new Interval(5, 6), new Interval(1, 2))))
                .isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> new DroppedTables(List.of(new Interval(2, 1))))
                .isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> new DroppedTables(List.of(new Interval(2, -1), new Interval(0, 1))))
                .isInstanceOf(Invariant.Violation.class);
    }
}
