package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.wire.MapUpdate;
import cleave.wire.MasterList;
import cleave.wire.ServerInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class PartitionMapPropertyTest {
    /** A master's map, changed at random: splits, merges, takeovers and publishes. */
    private static final class Model {
        private final Random random;
        private final List<Row> rows = new ArrayList<>();
        private long version = 1;

        Model(long seed) {
            random = new Random(seed);
            rows.add(new Row(Row.id(1, 0), KeyRange.ALL, null, null, 1, 1));
        }

        void change() {
            version++;
            int at = random.nextInt(rows.size());
            Row row = rows.get(at);
            switch (random.nextInt(4)) {
                case 0 -> split(at, row);
                case 1 -> merge(at, row);
                case 2 -> rows.set(at, with(row, new Incarnation("s" + random.nextInt(3), version), version));
                default -> rows.set(at, with(row, row.owner(), row.epoch()));
            }
        }

        private Row with(Row row, @org.jspecify.annotations.Nullable Incarnation owner, long epoch) {
            return new Row(row.id(), row.range(), owner, "m" + version, version, epoch);
        }

        private void split(int at, Row row) {
            Key middle = Key.beforeTable(random.nextInt(1000));
            if (row.range().contains(middle) && !row.range().start().equals(middle)) {
                rows.set(at, made(0, new KeyRange(row.range().start(), middle)));
                rows.add(at + 1, made(1, new KeyRange(middle, row.range().end())));
            }
        }

        private void merge(int at, Row row) {
            if (at + 1 < rows.size()) {
                Row next = rows.remove(at + 1);
                rows.set(
                        at,
                        made(0, new KeyRange(row.range().start(), next.range().end())));
            }
        }

        private Row made(int ordinal, KeyRange range) {
            return new Row(Row.id(version, ordinal), range, new Incarnation("s0", 1), "m", version, version);
        }

        PartitionMap map() {
            MapUpdate.Builder update =
                    MapUpdate.newBuilder().setVersion(version).setWhole(true).setLeader("m1:1");
            rows.forEach(row -> update.addRows(row.toWire()));
            update.addServers(ServerInfo.newBuilder()
                    .setIncarnation(new Incarnation("s0", version).toWire())
                    .setAddress("s0:" + version));
            return PartitionMap.EMPTY.with(update.build());
        }
    }

    private static void same(PartitionMap actual, PartitionMap expected) {
        assertThat(actual.rows()).containsExactlyElementsOf(expected.rows());
        assertThat(actual.servers()).isEqualTo(expected.servers());
        assertThat(actual.version()).isEqualTo(expected.version());
        for (Row row : expected.rows()) {
            assertThat(actual.row(row.id())).isEqualTo(row);
        }
    }

    @Property
    void changesBringAnyOlderMapUpToDate(@ForAll long seed, @ForAll @IntRange(max = 40) int steps) {
        Model model = new Model(seed);
        List<PartitionMap> all = new ArrayList<>(List.of(PartitionMap.EMPTY, model.map()));
        for (int i = 0; i < steps; i++) {
            model.change();
            all.add(model.map());
        }
        PartitionMap newest = model.map();
        for (PartitionMap older : all) {
            same(older.with(newest.changesSince(older)), newest);
            same(older.with(newest.changesSince(older).joined()), newest);
            same(older.with(newest.whole()), newest);
        }
    }

    /** This happens when two streams from different seeds feed one map. */
    @Property
    void changesSinceAnOlderVersionThanTheReceiversAreRightToo(
            @ForAll long seed, @ForAll @IntRange(max = 20) int first, @ForAll @IntRange(max = 20) int second) {
        Model model = new Model(seed);
        PartitionMap oldest = model.map();
        for (int i = 0; i < first; i++) {
            model.change();
        }
        PartitionMap middle = model.map();
        for (int i = 0; i <= second; i++) {
            model.change();
        }
        PartitionMap newest = model.map();
        same(middle.with(newest.changesSince(oldest)), newest);
    }

    @Property
    void piecesBringAnyOlderMapUpToDateAndOnlyTheLastOneIsSeen(
            @ForAll long seed, @ForAll @IntRange(max = 40) int steps, @ForAll @IntRange(min = 1, max = 300) int bytes) {
        Model model = new Model(seed);
        List<PartitionMap> all = new ArrayList<>(List.of(PartitionMap.EMPTY, model.map()));
        for (int i = 0; i < steps; i++) {
            model.change();
            all.add(model.map());
        }
        PartitionMap newest = model.map();
        for (PartitionMap older : all) {
            for (MapChange change : List.of(newest.whole(), newest.changesSince(older))) {
                MapAssembly assembly = new MapAssembly();
                PartitionMap map = older;
                while (change.hasNext()) {
                    assertThat(map).isSameAs(older);
                    map = assembly.add(map, change.next(bytes));
                    assertThat(assembly.isUnderWay()).isEqualTo(change.hasNext() && newest.version() > older.version());
                }
                same(map, newest);
            }
        }
    }

    /** Every map that is seen has existed, in whatever order the pieces of two streams come. */
    @Property
    void twoStreamsInPiecesNeverShowHalfAMap(@ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int steps) {
        Random random = new Random(seed);
        Model model = new Model(seed);
        List<PartitionMap> all = new ArrayList<>(List.of(model.map()));
        for (int i = 0; i < steps; i++) {
            model.change();
            all.add(model.map());
        }
        MapAssembly[] assemblies = {new MapAssembly(), new MapAssembly()};
        int[] sent = {0, 0};
        MapChange[] sending = {all.get(0).whole(), all.get(0).whole()};
        PartitionMap map = PartitionMap.EMPTY;
        while (map.version() < model.map().version()) {
            int stream = random.nextInt(2);
            if (!sending[stream].hasNext()) {
                int to = Math.min(all.size() - 1, sent[stream] + random.nextInt(5));
                sending[stream] = all.get(to).changesSince(all.get(sent[stream]));
                sent[stream] = to;
            }
            map = assemblies[stream].add(map, sending[stream].next(1 + random.nextInt(100)));
            if (map != PartitionMap.EMPTY) {
                same(map, all.get((int) (map.version() - all.get(0).version())));
            }
        }
    }

    @Example
    void pieceOfAnotherChangeIsRefusedAndTheMapStays() {
        Model model = new Model(3);
        while (model.rows.size() < 4) {
            model.change();
        }
        PartitionMap one = model.map();
        model.change();
        MapAssembly assembly = new MapAssembly();
        PartitionMap map = assembly.add(PartitionMap.EMPTY, one.whole().next(1));
        assertThat(map).isSameAs(PartitionMap.EMPTY);
        assertThatThrownBy(() -> assembly.add(map, model.map().whole().next(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("among those of " + one.version());
        assertThat(assembly.isUnderWay()).isFalse();
    }

    @Example
    void wholeMapWithAGapIsNone() {
        Row row = new Row(Row.id(1, 0), new KeyRange(Key.MIN, Key.beforeTable(7)), null, null, 1, 1);
        MapUpdate gap = MapUpdate.newBuilder()
                .setVersion(1)
                .setWhole(true)
                .addRows(row.toWire())
                .build();
        assertThatThrownBy(() -> new MapAssembly().add(PartitionMap.EMPTY, gap))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ends at");
    }

    @Property
    void updatesThatAreNotNewerChangeNothing(@ForAll long seed, @ForAll @IntRange(min = 1, max = 20) int steps) {
        Model model = new Model(seed);
        PartitionMap older = model.map();
        for (int i = 0; i < steps; i++) {
            model.change();
        }
        PartitionMap newest = model.map();
        assertThat(newest.with(older.whole().joined())).isSameAs(newest);
        assertThat(newest.with(newest.whole().joined())).isSameAs(newest);
    }

    @Property
    void everyKeyHasExactlyOneRow(@ForAll long seed, @ForAll @IntRange(max = 40) int steps) {
        Model model = new Model(seed);
        for (int i = 0; i < steps; i++) {
            model.change();
        }
        PartitionMap map = model.map();
        for (long table = 0; table < 1000; table += 37) {
            Key key = Key.of(table, "p", "r");
            List<Row> holders =
                    map.rows().stream().filter(row -> row.range().contains(key)).toList();
            assertThat(holders).containsExactly(map.lookup(key));
            KeyRange some = new KeyRange(key, Key.beforeTable(table + 100));
            assertThat(map.rowsOver(some))
                    .containsExactlyElementsOf(map.rows().stream()
                            .filter(row -> row.range().overlaps(some))
                            .toList());
        }
    }

    @Example
    void nothingIsKnownAtFirst() {
        assertThat(PartitionMap.EMPTY.lookup(Key.MIN)).isNull();
        assertThat(PartitionMap.EMPTY.rowsOver(KeyRange.ALL)).isEmpty();
        assertThat(PartitionMap.EMPTY.leader()).isEmpty();
    }

    @Example
    void leaderIsLearntFromUpdatesThatAreNotNewer() {
        PartitionMap map = new Model(1).map();
        MapUpdate update = MapUpdate.newBuilder()
                .setVersion(map.version())
                .setLeader("m2:1")
                .build();
        assertThat(map.with(update).leader()).isEqualTo("m2:1");
        assertThat(map.with(update).rows()).isEqualTo(map.rows());
    }

    @Example
    void mastersAreLearntFromUpdatesThatAreNotNewerAndNeverGoBack() {
        PartitionMap map = new Model(1).map();
        PartitionMap told = map.with(masters(map.version(), 7, "m2:1", "m3:1"));
        assertThat(told.masters().addresses()).containsExactly("m2:1", "m3:1");
        assertThat(told.rows()).isEqualTo(map.rows());
        assertThat(told.with(masters(map.version() + 1, 6, "m1:1")).masters().addresses())
                .containsExactly("m2:1", "m3:1");
        assertThat(told.with(masters(map.version() + 1, 8, "m4:1")).masters().addresses())
                .containsExactly("m4:1");
    }

    @Example
    void mastersArePassedOn() {
        PartitionMap map = new Model(1).map();
        PartitionMap told = map.with(masters(map.version(), 7, "m2:1"));
        assertThat(PartitionMap.EMPTY.with(told.whole().joined()).masters()).isEqualTo(told.masters());
        assertThat(map.with(told.changesSince(map)).masters()).isEqualTo(told.masters());
    }

    private static MapUpdate masters(long mapVersion, long version, String... addresses) {
        return MapUpdate.newBuilder()
                .setVersion(mapVersion)
                .setMasters(MasterList.newBuilder().setVersion(version).addAllAddresses(List.of(addresses)))
                .build();
    }
}
