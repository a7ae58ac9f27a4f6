package cleave.chaos.bench.peer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * An answer of Cassandra, as far as the load needs to understand it. Immutable.
 *
 * @param kind of the frame
 * @param error its code; 0 if there is none
 * @param text of the error
 * @param prepared id of the statement that was prepared; else empty
 * @param rows number of rows
 * @param first value of the first column of the first row; empty if there is none
 */
record CqlAnswer(Kind kind, int error, String text, ByteBuffer prepared, int rows, ByteBuffer first) {
    /** Codes of errors after which a write may have happened, or may yet. */
    private static final List<Integer> UNKNOWN = List.of(0x0000, 0x1100, 0x1200, 0x1300, 0x1500, 0x1700);
    /** Unavailable, overloaded, bootstrapping: nothing happened. */
    private static final List<Integer> BUSY = List.of(0x1000, 0x1001, 0x1002);

    private static final int TRACED = 0x02;
    private static final int WITH_PAYLOAD = 0x04;
    private static final int WITH_WARNINGS = 0x08;
    private static final int GLOBAL_NAMES = 0x01;
    private static final int MORE_PAGES = 0x02;
    private static final int NO_METADATA = 0x04;
    private static final int ROWS = 2;
    private static final int PREPARED = 4;
    /** The types beyond it have further parts, and so does type 0. */
    private static final int LAST_PLAIN_TYPE = 0x1f;

    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    /** The kinds of answers. */
    enum Kind {
        READY,
        ERROR,
        RESULT
    }

    /** IllegalArgumentException or BufferUnderflowException if it is none. */
    static CqlAnswer parse(int opcode, int flags, ByteBuffer body) {
        if ((flags & (TRACED | WITH_PAYLOAD)) != 0) {
            throw new IllegalArgumentException("flags that were not asked for: " + flags);
        }
        if ((flags & WITH_WARNINGS) != 0) {
            for (int left = body.getShort(); left > 0; left--) {
                string(body);
            }
        }
        return switch (opcode) {
            case 0 -> new CqlAnswer(Kind.ERROR, body.getInt(), string(body), NONE, 0, NONE);
            case 2 -> new CqlAnswer(Kind.READY, 0, "", NONE, 0, NONE);
            case 8 -> result(body);
            default -> throw new IllegalArgumentException("an answer of kind " + opcode);
        };
    }

    private static CqlAnswer result(ByteBuffer body) {
        return switch (body.getInt()) {
            case ROWS -> rows(body);
            case PREPARED -> new CqlAnswer(Kind.RESULT, 0, "", bytes(body, body.getShort()), 0, NONE);
            default -> new CqlAnswer(Kind.RESULT, 0, "", NONE, 0, NONE);
        };
    }

    private static CqlAnswer rows(ByteBuffer body) {
        skipMetadata(body);
        int rows = body.getInt();
        return new CqlAnswer(Kind.RESULT, 0, "", NONE, rows, rows == 0 ? NONE : bytes(body, body.getInt()));
    }

    private static void skipMetadata(ByteBuffer body) {
        int flags = body.getInt();
        int columns = body.getInt();
        if ((flags & MORE_PAGES) != 0) {
            bytes(body, body.getInt());
        }
        if ((flags & NO_METADATA) != 0) {
            return;
        }
        if ((flags & GLOBAL_NAMES) != 0) {
            string(body);
            string(body);
        }
        for (int column = 0; column < columns; column++) {
            if ((flags & GLOBAL_NAMES) == 0) {
                string(body);
                string(body);
            }
            string(body);
            int type = body.getShort();
            if (type == 0 || type > LAST_PLAIN_TYPE) {
                throw new IllegalArgumentException("a column of type " + type);
            }
        }
    }

    private static String string(ByteBuffer body) {
        return StandardCharsets.UTF_8.decode(bytes(body, body.getShort())).toString();
    }

    /** @param length below 0: there are none */
    private static ByteBuffer bytes(ByteBuffer body, int length) {
        byte[] bytes = new byte[Math.max(0, length)];
        body.get(bytes);
        return ByteBuffer.wrap(bytes);
    }

    boolean isReady() {
        return kind == Kind.READY;
    }

    boolean isError() {
        return kind == Kind.ERROR;
    }

    /** True if it is an error after which nobody knows whether a write takes effect. */
    boolean isUnknown() {
        return isError() && UNKNOWN.contains(error);
    }

    /** True if it is an error by which nothing happened, and which passes. */
    boolean isBusy() {
        return isError() && BUSY.contains(error);
    }

    /** True if the condition of a conditional statement held. */
    boolean isApplied() {
        return rows == 1 && first.remaining() == 1 && first.get(first.position()) != 0;
    }

    /** The number in the first column of the first row, as of a count. */
    long number() {
        return first.getLong(first.position());
    }

    @Override
    public String toString() {
        return isError() ? String.format("error 0x%04x: %s", error, text) : kind + ", " + rows + " rows";
    }
}
