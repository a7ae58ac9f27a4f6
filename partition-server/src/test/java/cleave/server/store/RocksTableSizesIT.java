package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.state.TableSize;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** How often a real RocksDB is asked what its tables take, and what of very many tables. */
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
        database = RocksDatabase.open(shared, folder.resolve("db"));
        sizes = new RocksTableSizes(database, KeyRange.ALL, ABOVE_ALL, () -> now);
    }

    @AfterEach
    void close() {
        database.release();
        shared.close();
    }

    private void put(long table, int number) throws RocksDBException {
        database.db()
                .put(
                        database.data(),
                        shared.writeOptions(),
                        Key.of(table, "p%04d".formatted(number), "r").bytes(),
                        new byte[50]);
    }

    private long entities(long bytes) throws RocksDBException {
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

    @Test
    void theLastPossibleTableIsMeasured() throws RocksDBException {
        for (int i = 0; i < 2 * RocksTableSizes.COUNTED_MAX; i++) {
            put(Long.MAX_VALUE, i);
        }

        assertThat(sizes.within(1)).singleElement().matches(size -> size.table() == Long.MAX_VALUE);
    }
}
