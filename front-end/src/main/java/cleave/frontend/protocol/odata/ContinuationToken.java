package cleave.frontend.protocol.odata;

import cleave.model.Key;
import cleave.model.table.Registry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the next page of a query begins: opaque to clients; to the service, the bytes of the next key to examine. It does not mention
 * ranges or servers, so it stays valid when they change (invariant I7). Immutable.
 *
 * <p>The text of a part is {@code 1!length!base64} with {@code -} for padding, {@code _} for {@code /} and {@code .} for
 * {@code +}, so that it needs no escapes in headers and queries, and contains none of the characters with which some clients join tokens.
 * The text of an empty part is {@code 1!0!}, because some clients read an empty text as the end.
 *
 * <p>A client may also name the key itself, in plain text, to begin there. What begins like a token is never taken for a key: a token that
 * was cut or encoded twice would silently skip what is in between.
 *
 * @param partition bytes of a PartitionKey; empty for a list of tables
 * @param row bytes of a RowKey, or of a table's name in lower case
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record ContinuationToken(byte[] partition, byte[] row) {
    private static final String VERSION = "1!";
    private static final byte[] NOTHING = new byte[0];
    /** Longer than the token of the longest key. */
    private static final int TEXT_MAX = 4096;

    /** The token of a key in a table. */
    public static ContinuationToken ofEntities(Key next) {
        byte[] bytes = next.bytes();
        int separator = separator(bytes);
        byte[] partition = Arrays.copyOfRange(bytes, Math.min(Long.BYTES, separator), separator);
        return new ContinuationToken(partition, rest(bytes, separator));
    }

    /** The token of a key in an account's partition of the registry of tables. */
    public static ContinuationToken ofTables(Key next) {
        byte[] bytes = next.bytes();
        return new ContinuationToken(NOTHING, rest(bytes, separator(bytes)));
    }

    private static int separator(byte[] bytes) {
        int at = Math.min(Long.BYTES, bytes.length);
        while (at < bytes.length && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    private static byte[] rest(byte[] bytes, int separator) {
        return separator < bytes.length ? Arrays.copyOfRange(bytes, separator + 1, bytes.length) : NOTHING;
    }

    /** Null if no token was sent. */
    public static @Nullable ContinuationToken parseEntities(
            @Nullable String nextPartitionKey, @Nullable String nextRowKey) {
        boolean hasRow = nextRowKey != null && !nextRowKey.isEmpty();
        if (nextPartitionKey == null || nextPartitionKey.isEmpty()) {
            if (hasRow) {
                throw malformed();
            }
            return null;
        }
        if (nextRowKey != null && !hasRow) {
            throw malformed();
        }
        byte[] partition = bytes(nextPartitionKey);
        for (byte b : partition) {
            if (b == 0) {
                throw malformed();
            }
        }
        return new ContinuationToken(partition, nextRowKey == null ? NOTHING : bytes(nextRowKey));
    }

    /** Null if no token was sent. */
    public static @Nullable ContinuationToken parseTables(@Nullable String nextTableName) {
        if (nextTableName == null || nextTableName.isEmpty()) {
            return null;
        }
        String row = isToken(nextTableName) ? nextTableName : nextTableName.toLowerCase(Locale.ROOT);
        return new ContinuationToken(NOTHING, bytes(row));
    }

    /** The first key to examine in a table. */
    public Key key(long table) {
        return Key.wrap(ByteBuffer.allocate(Long.BYTES + partition.length + 1 + row.length)
                .putLong(table)
                .put(partition)
                .put((byte) 0)
                .put(row)
                .array());
    }

    /** The first key to examine in an account's partition of the registry. */
    public Key registryKey(String account) {
        return new ContinuationToken(account.getBytes(StandardCharsets.UTF_8), row).key(Registry.TABLE);
    }

    /** Value of {@code x-ms-continuation-NextPartitionKey}. */
    public String nextPartitionKey() {
        return encode(partition);
    }

    /** Value of {@code x-ms-continuation-NextRowKey}. */
    public String nextRowKey() {
        return encode(row);
    }

    /** Value of {@code x-ms-continuation-NextTableName}. */
    public String nextTableName() {
        return encode(row);
    }

    private static String encode(byte[] bytes) {
        String text = Base64.getEncoder()
                .encodeToString(bytes)
                .replace('=', '-')
                .replace('/', '_')
                .replace('+', '.');
        return VERSION + text.length() + "!" + text;
    }

    private static byte[] bytes(String piece) {
        if (isToken(piece)) {
            return decode(piece);
        }
        if (piece.length() > TEXT_MAX || piece.indexOf('\0') >= 0) {
            throw malformed();
        }
        return piece.getBytes(StandardCharsets.UTF_8);
    }

    /** True of a token of any version, also if it was encoded once too often. */
    private static boolean isToken(String piece) {
        return Text.isDigit(piece.charAt(0)) && (piece.startsWith("!", 1) || piece.startsWith("%21", 1));
    }

    private static byte[] decode(String token) {
        int mark = token.indexOf('!', VERSION.length());
        if (token.length() > TEXT_MAX || !token.startsWith(VERSION) || mark < 0) {
            throw malformed();
        }
        String text = token.substring(mark + 1);
        String length = token.substring(VERSION.length(), mark);
        if (!length.equals(Integer.toString(text.length())) || text.length() % 4 != 0) {
            throw malformed();
        }
        try {
            byte[] bytes = Base64.getDecoder()
                    .decode(text.replace('-', '=').replace('_', '/').replace('.', '+'));
            if (!encode(bytes).equals(token)) {
                throw malformed();
            }
            return bytes;
        } catch (IllegalArgumentException e) {
            throw malformed();
        }
    }

    private static ServiceError malformed() {
        return ServiceError.of(ServiceCode.INVALID_INPUT);
    }
}
