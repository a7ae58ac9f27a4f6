package cleave.server.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Damaged;
import cleave.model.Key;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Records survive the way into a log and back, in any pieces; whatever else is in a log is found out. */
class LogRecordPropertyTest {
    @Provide
    Arbitrary<Effect> effects() {
        Arbitrary<Key> keys = Combinators.combine(
                        Arbitraries.longs().between(0, 5),
                        Arbitraries.strings().alpha().ofMaxLength(5),
                        Arbitraries.strings().alpha().ofMaxLength(200))
                .as(Key::of);
        Arbitrary<Effect> puts = Combinators.combine(
                        keys, Arbitraries.bytes().array(byte[].class).ofMaxSize(300))
                .as(Effect.Put::new);
        return Arbitraries.oneOf(
                puts, keys.map(Effect.Delete::new), Arbitraries.longs().map(Effect.DropTable::new));
    }

    @Provide
    Arbitrary<List<List<Effect>>> logs() {
        return effects().list().ofMinSize(1).ofMaxSize(6).list().ofMaxSize(8);
    }

    private static byte[] written(List<List<Effect>> records) {
        ByteString log = ByteString.EMPTY;
        for (int i = 0; i < records.size(); i++) {
            log = log.concat(ByteString.copyFrom(record(records.get(i), i + 1)));
        }
        return log.toByteArray();
    }

    private static ByteBuffer record(List<Effect> effects, long sequence) {
        LogRecordBuilder builder = new LogRecordBuilder();
        effects.forEach(builder::add);
        return builder.finish(sequence, 1000 + sequence);
    }

    private static List<LogRecord> read(byte[] log, Random pieces) {
        LogRecordReader reader = new LogRecordReader(LogPosition.beginningOf("log"));
        List<LogRecord> records = new ArrayList<>();
        int at = 0;
        while (at < log.length) {
            int size = Math.min(log.length - at, 1 + pieces.nextInt(100));
            reader.feed(ByteString.copyFrom(log, at, size));
            at += size;
            for (LogRecord record = reader.next(); record != null; record = reader.next()) {
                records.add(record);
            }
        }
        return records;
    }

    private static String text(Effect effect) {
        if (effect instanceof Effect.Put put) {
            return "put " + put.key() + Arrays.toString(put.entity());
        }
        return effect.toString();
    }

    @Property(tries = 300)
    void whatIsWrittenIsRead(@ForAll("logs") List<List<Effect>> log, @ForAll Random pieces) {
        List<LogRecord> records = read(written(log), pieces);
        assertThat(records).hasSameSizeAs(log);
        for (int i = 0; i < log.size(); i++) {
            assertThat(records.get(i).sequence()).isEqualTo(i + 1);
            assertThat(records.get(i).highestTimestamp()).isEqualTo(1001 + i);
            assertThat(records.get(i).effects().stream().map(LogRecordPropertyTest::text))
                    .isEqualTo(
                            log.get(i).stream().map(LogRecordPropertyTest::text).toList());
        }
    }

    @Property(tries = 300)
    void aLogCutAnywhereGivesItsWholeRecordsAndNothingElse(
            @ForAll("logs") List<List<Effect>> log, @ForAll Random chance) {
        byte[] whole = written(log);
        int cut = whole.length == 0 ? 0 : chance.nextInt(whole.length + 1);
        List<LogRecord> records = read(Arrays.copyOf(whole, cut), chance);
        long end = records.isEmpty() ? 0 : records.get(records.size() - 1).end();
        assertThat(end).isLessThanOrEqualTo(cut);
        assertThat(records.size() == log.size()
                        || end
                                        + record(log.get(records.size()), records.size() + 1)
                                                .remaining()
                                > cut)
                .isTrue();
    }

    @Property(tries = 300)
    void aFlippedBitIsNeverReadAsSomethingElse(@ForAll("logs") List<List<Effect>> log, @ForAll Random chance) {
        byte[] bytes = written(log);
        if (bytes.length == 0) {
            return;
        }
        bytes[chance.nextInt(bytes.length)] ^= (byte) (1 << chance.nextInt(8));
        try {
            List<LogRecord> records = read(bytes, chance);
            // Only a length that has grown can look like a record that was cut, and then what follows is not read.
            assertThat(records.size()).isLessThan(log.size());
        } catch (Damaged found) {
            assertThat(found).hasMessageContaining("log");
        }
    }

    @Property(tries = 50)
    void aHoleInTheSequenceNumbersStopsTheReplay(@ForAll("logs") List<List<Effect>> log) {
        ByteString bytes = ByteString.copyFrom(written(log))
                .concat(ByteString.copyFrom(record(List.of(new Effect.DropTable(1)), log.size() + 2)));
        assertThatThrownBy(() -> read(bytes.toByteArray(), new Random(1)))
                .isInstanceOf(Damaged.class)
                .hasMessageContaining("belongs");
    }
}
