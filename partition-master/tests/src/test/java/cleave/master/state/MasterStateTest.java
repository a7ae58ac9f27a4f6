package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.Register;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MasterStateTest {
    private final Script script = Script.started();

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "a b", "-a", "\u00e4", "a\u0000"})
    void aServerIdThatCannotStandInAFileNameIsRefused(String id) {
        MasterState before = script.state();
        assertThat(script.apply(new Register(id, "host:1")).code()).isEqualTo(ErrorCode.INVALID);
        assertThat(script.state()).isSameAs(before);
    }

    /** A snapshot and a command bring objects of their own for each bound and owner. */
    @Test
    void equalBoundsAndOwnersAreTheSameObjects() {
        byte[] snapshot = SnapshotCodec.encode(LargeMap.state(3_000));
        Rows rows = SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED).rows();
        assertShared(rows);

        Row split = List.copyOf(rows.all()).get(1_234);
        Key middle = Key.beforePartition(7, "customer-00000001234-x");
        List<Row> parts = new ArrayList<>();
        for (KeyRange half : List.of(
                new KeyRange(copy(split.range().start()), copy(middle)),
                new KeyRange(middle, copy(split.range().end())))) {
            Incarnation owner = new Incarnation(new String("server-7"), 1_007);
            parts.add(new Row(Row.id(9_000_000, parts.size()), half, owner, "m", 9_000_000, 9_000_000));
        }
        Rows after = rows.replace(List.of(split), parts);
        assertThat(after.size()).isEqualTo(3_001);
        assertShared(after);
    }

    private static Key copy(@Nullable Key key) {
        return Key.wrap(Objects.requireNonNull(key).bytes().clone());
    }

    private static void assertShared(Rows rows) {
        TreeMap<Incarnation, Incarnation> owners = new TreeMap<>();
        Key end = Key.MIN;
        for (Row row : rows.all()) {
            if (!row.range().start().equals(Key.MIN)) {
                assertThat(row.range().start()).isSameAs(end);
            }
            end = row.range().end();
            Incarnation owner = Objects.requireNonNull(row.owner());
            Incarnation known = owners.putIfAbsent(owner, owner);
            if (known != null) {
                assertThat(owner).isSameAs(known);
            }
        }
    }

    @Test
    void anIncarnationFromTheFutureIsUnknownNotDead() {
        assertThat(script.state().isKnownDead(new Incarnation("s9", script.index() + 1)))
                .isFalse();
    }
}
