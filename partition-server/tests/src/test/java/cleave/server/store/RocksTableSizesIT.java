package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.table.Registry;
import cleave.server.outside.StoreException;
import cleave.server.state.TableSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDBException;

/** Checks how often a real RocksDB is asked for the sizes of its tables, and the sizes of very many tables. */
class RocksTableSizesIT {
    private static final byte[] ABOVE_ALL = new byte[16];

    static {
        Arrays.fill(ABOVE_ALL, (byte) 0xff);
    }

    @TempDir
    private Path folder;

    private RocksShared shared;
    private RocksDatabase database;
    private RocksTableSizes sizes;
    private long now;

    @BeforeEach
    void open() {
        shared = new RocksShared(folder.resolve("native"), 8 << 20, 4 << 20, new OpenFiles(4_096));
        database = RocksDatabase.open(shared, folder.resolve("db"), List.of());
        sizes = new RocksTableSizes(database, KeyRange.ALL, ABOVE_ALL, () -> now);
        now += RocksTableSizes.PERIOD_NANOS;
    }

    @AfterEach
    void close() {
        database.release();
        shared.close();
    }

    private void put(long table, int number) throws RocksDBException {
        database.db().put(database.data(), shared.writeOptions(), key(table, number), new byte[50]);
    }

    private static byte[] key(long table, int number) {
        return Key.of(table, "p%04d".formatted(number), "r").bytes();
    }

    private void flush() throws RocksDBException {
        try (FlushOptions options = new FlushOptions()) {
            database.db().flush(options, database.data());
        }
    }

    private long entities(long bytes) {
        return sizes.within(bytes).stream().mapToLong(TableSize::entities).sum();
    }

    @Test
    void aStoreThatChangesIsMeasuredOnceAMinuteAndOneOfTheSameSizeOnceInTen() throws RocksDBException {
        put(7, 0);
        assertThat(entities(100)).isEqualTo(1);

        put(7, 1);
        assertThat(entities(200)).isEqualTo(1);
        now += RocksTableSizes.PERIOD_NANOS;
        assertThat(entities(200)).isEqualTo(2);

        put(7, 2);
        now += RocksTableSizes.PERIOD_NANOS;
        assertThat(entities(200)).isEqualTo(2);
        now += RocksTableSizes.PERIOD_NANOS_MAX;
        assertThat(entities(200)).isEqualTo(3);
    }

    /** In a takeover others wait to be opened by the threads that measure. */
    @Test
    void aStoreIsNotMeasuredInItsFirstMinute() throws RocksDBException {
        put(7, 0);
        RocksTableSizes opened = new RocksTableSizes(database, KeyRange.ALL, ABOVE_ALL, () -> now);
        assertThat(opened.within(100)).isEmpty();

        now += RocksTableSizes.PERIOD_NANOS - 1;
        assertThat(opened.within(100)).isEmpty();

        now += 1;
        assertThat(opened.within(100)).hasSize(1);
    }

    @Test
    void aStoreThatRotsIsToldOf() throws RocksDBException, IOException {
        put(7, 0);
        flush();
        assertThat(sizes.within(100)).hasSize(1);
        put(8, 0);
        flush();
        try (Stream<Path> files = Files.list(folder.resolve("db"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".sst")).toList()) {
                Files.newByteChannel(file, StandardOpenOption.WRITE).truncate(1).close();
            }
        }
        now += RocksTableSizes.PERIOD_NANOS;

        assertThatThrownBy(() -> sizes.within(200))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        told -> assertThat(told.kind()).isEqualTo(StoreException.Kind.LOCAL_DAMAGE));
    }

    /** So the table in which they are is estimated, and those beside it are counted. */
    @Test
    void noMoreThanSomeDeletedEntitiesArePassedOver() throws RocksDBException {
        put(3, 0);
        put(3, 1);
        for (int i = 0; i < 20 * RocksTableSizes.SKIPPED_MAX; i++) {
            put(5, i);
        }
        for (int i = 0; i < 20 * RocksTableSizes.SKIPPED_MAX; i++) {
            database.db().delete(database.data(), shared.writeOptions(), key(5, i));
        }
        put(8, 0);
        flush();

        List<TableSize> measured = sizes.within(1);

        assertThat(measured).extracting(TableSize::table).containsExactly(3L, 5L, 8L);
        assertThat(measured.get(0).entities()).isEqualTo(2);
        assertThat(measured.get(1).bytes()).isPositive();
        assertThat(measured.get(2).entities()).isEqualTo(1);
    }

    @Test
    void ofVeryManyTablesABoundedNumberIsToldApartAndTheRestIsSummedUp() throws RocksDBException {
        for (int table = 1; table <= RocksTableSizes.TABLES_MAX + 500; table++) {
            put(table, 0);
        }

        List<TableSize> measured = sizes.within(1);

        assertThat(measured).hasSize(RocksTableSizes.TABLES_MAX + 1);
        TableSize rest = measured.get(RocksTableSizes.TABLES_MAX);
        assertThat(rest.table()).isEqualTo(TableSize.OTHERS);
        assertThat(rest.bytes()).isPositive();
    }

    private void register(String account, String table) throws RocksDBException {
        database.db()
                .put(
                        database.data(),
                        shared.writeOptions(),
                        Registry.key(account, table).bytes(),
                        new byte[50]);
    }

    private Map<String, Long> registered() {
        return sizes.within(1).stream()
                .filter(size -> size.table() == Registry.TABLE)
                .collect(Collectors.toMap(TableSize::account, TableSize::entities));
    }

    @Test
    void theTablesOfAccountsAreCountedInTheRegistry() throws RocksDBException {
        for (int i = 0; i < 3 * RocksTableSizes.COUNTED_MAX; i++) {
            register("many", "t" + i);
        }
        register("one", "Red");
        put(1, 0);
        put(2, 0);
        flush();

        assertThat(registered()).isEqualTo(Map.of("many", 3L * RocksTableSizes.COUNTED_MAX, "one", 1L));
        assertThat(sizes.within(1))
                .filteredOn(size -> size.table() != Registry.TABLE)
                .extracting(TableSize::table, TableSize::account, TableSize::entities)
                .containsExactly(tuple(1L, "", 1L), tuple(2L, "", 1L));
    }

    @Test
    void ofARegistryInTwoRangesEachCountsItsPart() throws RocksDBException {
        register("a", "Red");
        register("b", "Red");
        register("c", "Red");
        Key middle = Key.beforePartition(Registry.TABLE, "b");
        KeyRange low = new KeyRange(Key.MIN, middle);
        sizes = new RocksTableSizes(database, low, ABOVE_ALL, () -> now);
        now += RocksTableSizes.PERIOD_NANOS;
        assertThat(registered()).isEqualTo(Map.of("a", 1L));

        sizes = new RocksTableSizes(database, new KeyRange(middle, null), ABOVE_ALL, () -> now);
        now += RocksTableSizes.PERIOD_NANOS;
        assertThat(registered()).isEqualTo(Map.of("b", 1L, "c", 1L));
    }

    @Test
    void ofVeryManyAccountsABoundedNumberIsToldApart() throws RocksDBException {
        int more = 7;
        for (int i = 0; i < RocksTableSizes.ACCOUNTS_MAX + more; i++) {
            register("account%05d".formatted(i), "T");
        }

        assertThat(registered()).hasSize(RocksTableSizes.ACCOUNTS_MAX + 1).containsEntry("", (long) more);
    }

    @Test
    void ofVeryManyTablesInTheRegistryTheRestIsEstimated() throws RocksDBException {
        int more = 10_000;
        for (int i = 0; i < RocksTableSizes.REGISTERED_MAX + more; i++) {
            register("a", "t%06d".formatted(i));
        }
        flush();

        assertThat(registered()).containsEntry("a", (long) RocksTableSizes.REGISTERED_MAX);
        assertThat(registered().get("")).isBetween(more / 2L, 2L * more);
    }

    @Test
    void theLastPossibleTableIsMeasured() throws RocksDBException {
        for (int i = 0; i < 2 * RocksTableSizes.COUNTED_MAX; i++) {
            put(Long.MAX_VALUE, i);
        }

        assertThat(sizes.within(1)).singleElement().matches(size -> size.table() == Long.MAX_VALUE);
    }
}
