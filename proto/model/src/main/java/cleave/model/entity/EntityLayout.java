package cleave.model.entity;

import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The positions in a stored entity; {@link EntityCodec} describes the layout itself. Every step is bounded by
 * the array, so that damaged bytes give {@link Damaged} and nothing else. Positions are those of a property's first byte.
 */
final class EntityLayout {
    static final byte FORMAT = 1;
    static final int TIMESTAMP_AT = 1;
    static final int COUNT_AT = TIMESTAMP_AT + Long.BYTES;
    static final int PROPERTIES_AT = COUNT_AT + Short.BYTES;
    static final int COUNT_MAX = 0xffff;
    static final int NAME_LENGTH_BYTES = Short.BYTES;
    static final int VALUE_LENGTH_BYTES = Integer.BYTES;
    static final int GUID_BYTES = 2 * Long.BYTES;
    static final int NONE = -1;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private EntityLayout() {}

    static void checkHeader(byte[] bytes) {
        if (bytes.length < PROPERTIES_AT || bytes[0] != FORMAT) {
            throw badHeader(bytes);
        }
    }

    private static Damaged badHeader(byte[] bytes) {
        if (bytes.length < PROPERTIES_AT) {
            return new Damaged("entity has only " + bytes.length + " bytes");
        }
        return bytes[0] > FORMAT
                ? new UnknownFormat("an entity has format " + bytes[0], "format " + FORMAT)
                : new Damaged("entity has the format " + bytes[0]);
    }

    static int count(byte[] bytes) {
        checkHeader(bytes);
        return shortAt(bytes, COUNT_AT);
    }

    static int nameStart(int at) {
        return at + NAME_LENGTH_BYTES;
    }

    static int nameEnd(byte[] bytes, int at) {
        return nameStart(at) + shortAt(bytes, at);
    }

    /** Only for a property that {@link #next} has passed. */
    static EdmType type(byte[] bytes, int at) {
        EdmType type = EdmType.ofNumber(bytes[nameEnd(bytes, at)]);
        if (type == null) {
            throw new Damaged("property has an unknown type");
        }
        return type;
    }

    /** First byte of the value proper, after its length if it has one. */
    static int valueStart(byte[] bytes, int at, EdmType type) {
        return nameEnd(bytes, at) + 1 + (isSized(type) ? VALUE_LENGTH_BYTES : 0);
    }

    static boolean isSized(EdmType type) {
        return type == EdmType.STRING || type == EdmType.BINARY;
    }

    static int fixedBytes(EdmType type) {
        return switch (type) {
            case BOOLEAN -> 1;
            case INT32 -> Integer.BYTES;
            case INT64, DOUBLE, DATETIME -> Long.BYTES;
            case GUID -> GUID_BYTES;
            case STRING, BINARY -> throw new AssertionError(type + " has no fixed size");
        };
    }

    /** The position after a property; it and all before it are inside the array. */
    static int next(byte[] bytes, int at) {
        if (bytes.length - at < NAME_LENGTH_BYTES || bytes.length <= nameEnd(bytes, at)) {
            throw new Damaged("entity ends inside a name, at " + at + " of " + bytes.length);
        }
        EdmType type = type(bytes, at);
        int value = nameEnd(bytes, at) + 1;
        if (!isSized(type)) {
            return within(bytes, value, fixedBytes(type));
        }
        int start = within(bytes, value, VALUE_LENGTH_BYTES);
        return within(bytes, start, intAt(bytes, value));
    }

    private static int within(byte[] bytes, int start, int length) {
        if (length < 0 || bytes.length - start < length) {
            throw new Damaged("entity ends inside a value, at " + start + " of " + bytes.length);
        }
        return start + length;
    }

    /** The position of a property; {@link #NONE} if the entity has none of that name. */
    static int find(byte[] bytes, byte[] name) {
        return find(bytes, name, 0, name.length);
    }

    static int find(byte[] bytes, byte[] name, int from, int to) {
        int at = PROPERTIES_AT;
        for (int left = count(bytes); left > 0; left--) {
            int next = next(bytes, at);
            if (shortAt(bytes, at) == to - from
                    && Arrays.equals(bytes, nameStart(at), nameEnd(bytes, at), name, from, to)) {
                return at;
            }
            at = next;
        }
        return NONE;
    }

    static int shortAt(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    static int intAt(byte[] bytes, int at) {
        return (int) INTS.get(bytes, at);
    }

    static long longAt(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }

    static double doubleAt(byte[] bytes, int at) {
        return Double.longBitsToDouble(longAt(bytes, at));
    }

    static void putLong(byte[] bytes, int at, long value) {
        LONGS.set(bytes, at, value);
    }

    static void putCount(byte[] bytes, int count) {
        bytes[COUNT_AT] = (byte) (count >>> 8);
        bytes[COUNT_AT + 1] = (byte) count;
    }
}
