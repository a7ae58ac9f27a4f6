package cleave.server.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.formats.GoldenFormat;
import cleave.model.Key;
import cleave.model.UnknownFormat;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Commit logs that earlier versions wrote are read, and still written byte by byte as long as the format's version stays. */
final class GoldenFormatsTest {
    private static final Key A = Key.of(7, "p", "a");
    private static final Key B = Key.of(7, "p", "b");
    private static final byte[] ENTITY = "an entity of some length".repeat(20).getBytes(StandardCharsets.UTF_8);

    private static ByteString record(long sequence, List<Effect> effects) {
        LogRecordBuilder builder = new LogRecordBuilder();
        effects.forEach(builder::add);
        ByteBuffer record = builder.finish(sequence, 638_000_000_000_000_000L + sequence);
        return ByteString.copyFrom(record);
    }

    @Test
    void commitLogs() {
        GoldenFormat golden = GoldenFormat.of("commit-log", 1);
        ByteString log = record(1, List.of(new Effect.Put(A, ENTITY), new Effect.Put(B, new byte[] {1})))
                .concat(record(2, List.of(new Effect.Delete(A))))
                .concat(record(3, List.of(new Effect.DropTable(9))));
        golden.assertIsWritten("log", log.toByteArray());

        LogRecordReader reader = new LogRecordReader(LogPosition.beginningOf("log"));
        reader.feed(ByteString.copyFrom(golden.file("log")));
        LogRecord first = Objects.requireNonNull(reader.next());
        assertThat(first.highestTimestamp()).isEqualTo(638_000_000_000_000_001L);
        assertThat(first.effects()).hasSize(2);
        assertThat(((Effect.Put) first.effects().get(0)).key()).isEqualTo(A);
        assertThat(((Effect.Put) first.effects().get(0)).entity()).isEqualTo(ENTITY);
        assertThat(reader.next())
                .isNotNull()
                .satisfies(second -> assertThat(second.effects()).containsExactly(new Effect.Delete(A)));
        assertThat(reader.next())
                .isNotNull()
                .satisfies(third -> assertThat(third.effects()).containsExactly(new Effect.DropTable(9)));
        assertThat(reader.rest()).isZero();
    }

    @Test
    void aWholeRecordOfANewerVersionIsUnknownAndNotDamaged() {
        byte[] record = record(1, List.of(new Effect.DropTable(9))).toByteArray();
        record[LogRecordBuilder.HEADER_BYTES] = 9;
        ByteBuffer.wrap(record).putInt(Integer.BYTES, LogRecordBuilder.checksum(record, 0, record.length));
        LogRecordReader reader = new LogRecordReader(LogPosition.beginningOf("log"));
        reader.feed(ByteString.copyFrom(record));
        assertThatThrownBy(reader::next)
                .isInstanceOf(UnknownFormat.class)
                .hasMessageStartingWith(
                        "log log at 0: record 1 has an effect of kind 9; this version of Cleave knows kinds 1 to 3");
    }
}
