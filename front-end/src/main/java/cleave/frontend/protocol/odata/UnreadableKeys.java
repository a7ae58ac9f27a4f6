package cleave.frontend.protocol.odata;

import cleave.model.Key;
import cleave.model.KeyRange;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The value of {@code x-cleave-unreadable}: intervals of a table's keys, for example {@code
 * [{"after":["de","0041"],"through":["de","0107"]},{"from":["fr",""]}]}. Stateless.
 *
 * <p>The beginning is {@code from} a key or {@code after} it, or left out if it is that of the table; the end is {@code through} a key or
 * {@code before} it, or left out. Bounds come from the indexes of files and need not be keys, nor even texts: such an interval is told a
 * little too large. A key of one text, {@code ["de",""]}, is the beginning of its partition.
 */
public final class UnreadableKeys {
    private UnreadableKeys() {}

    /**
     * In ASCII.
     *
     * @param intervals which begin in the table
     */
    public static String text(List<KeyRange> intervals) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonFormat.FACTORY.createGenerator(text)) {
            json.enable(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature());
            json.writeStartArray();
            for (KeyRange each : intervals) {
                long table = each.start().table();
                json.writeStartObject();
                write(json, "from", "after", start(table, each.start()));
                write(json, "before", "through", end(table, each.end()));
                json.writeEndObject();
            }
            json.writeEndArray();
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, String at, String behind, @Nullable Bound bound) throws IOException {
        if (bound != null) {
            json.writeFieldName(bound.isBehind() ? behind : at);
            json.writeStartArray();
            json.writeString(bound.partitionKey());
            json.writeString(bound.rowKey());
            json.writeEndArray();
        }
    }

    /** @param isBehind it lies just behind this key, or else just before it */
    private record Bound(String partitionKey, String rowKey, boolean isBehind) {}

    /** Null: the table's beginning. */
    private static @Nullable Bound start(long table, Key start) {
        Parts parts = Parts.of(table, start);
        if (parts == null || (parts.partition.length == 0 && parts.row.length == 0 && !parts.isBehind)) {
            return null;
        }
        String partition = validBeginning(parts.partition);
        if (isCut(partition, parts.partition)) {
            return new Bound(partition, "", false);
        }
        String row = validBeginning(parts.row);
        return new Bound(partition, row, parts.isBehind && !isCut(row, parts.row));
    }

    /** Null: the table's end. */
    private static @Nullable Bound end(long table, @Nullable Key end) {
        Parts parts = end == null ? null : Parts.of(table, end);
        if (parts == null) {
            return null;
        }
        String partition = validBeginning(parts.partition);
        if (isCut(partition, parts.partition)) {
            return behindAllThatBeginWith(partition);
        }
        String row = validBeginning(parts.row);
        if (!isCut(row, parts.row)) {
            return new Bound(partition, row, parts.isBehind);
        }
        Bound next = behindAllThatBeginWith(row);
        // A partition's rows lie before all that its PartitionKey and a control character begin: no key has one.
        return next == null
                ? new Bound(partition + '\u0001', "", false)
                : new Bound(partition, next.partitionKey, false);
    }

    /** Before the least text behind all that begin with this one; null if there is none. */
    private static @Nullable Bound behindAllThatBeginWith(String text) {
        String left = text;
        while (!left.isEmpty()) {
            int last = left.codePointBefore(left.length());
            left = left.substring(0, left.length() - Character.charCount(last));
            if (last < Character.MAX_CODE_POINT) {
                int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
                return new Bound(left + Character.toString(next), "", false);
            }
        }
        return null;
    }

    private static boolean isCut(String valid, byte[] whole) {
        return valid.getBytes(StandardCharsets.UTF_8).length < whole.length;
    }

    private static String validBeginning(byte[] utf8) {
        CharBuffer text = CharBuffer.allocate(utf8.length);
        StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(utf8), text, true); // It stops where it is malformed.
        return text.flip().toString();
    }

    /** The parts of a bound. Never compared. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Parts(byte[] partition, byte[] row, boolean isBehind) {
        /** Null: not within the table, but at or beyond one of its ends. */
        static @Nullable Parts of(long table, Key bound) {
            byte[] bytes = bound.bytes();
            if (bytes.length < Long.BYTES || bound.table() != table) {
                return null;
            }
            int separator = bound.partitionEnd();
            byte[] partition = Arrays.copyOfRange(bytes, Long.BYTES, separator);
            byte[] row =
                    separator == bytes.length ? new byte[0] : Arrays.copyOfRange(bytes, separator + 1, bytes.length);
            boolean isBehind = row.length > 0 && row[row.length - 1] == 0;
            return new Parts(partition, isBehind ? Arrays.copyOf(row, row.length - 1) : row, isBehind);
        }
    }
}
