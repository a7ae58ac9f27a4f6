package cleave.model.entity;

import cleave.model.Damaged;
import cleave.model.Invariant;
import cleave.model.Key;
import cleave.model.Limits;
import cleave.model.Ticks;
import cleave.model.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Entities as bytes, in the form that is stored, logged and sent. A filter runs on the bytes, and the timestamp can be stamped in place.
 * Numbers are big-endian:
 *
 * <pre>
 * 0        format, 1
 * 1        timestamp: ticks, 8 bytes
 * 9        number of properties, 2 bytes unsigned
 * 11       the properties, one after the other:
 *            2 bytes   length of the name in bytes, unsigned
 *            n bytes   name, UTF-8
 *            1 byte    number of the type ({@link EdmType#number})
 *            value     String, Binary: 4 bytes of length, then the UTF-8 or the bytes; Boolean: 1 byte, 0 or 1;
 *                      Int32: 4 bytes; Int64, DateTime (ticks), Double (IEEE 754): 8 bytes; Guid: 16 bytes in the order
 *                      of its text
 * </pre>
 *
 * <p>Lengths have a fixed width so that a filter skips a property by two additions; the zeros in them cost nothing on disk,
 * where blocks are compressed. Bytes that are not of this form are answered by {@link Damaged}.
 */
public final class EntityCodec {
    private static final Set<String> RESERVED = Set.of("PartitionKey", "RowKey", "Timestamp");

    private EntityCodec() {}

    /** Refuses (IllegalArgumentException) a lone surrogate, which has no bytes; {@link Utf8#isWhole} finds it beforehand. */
    public static byte[] encode(Entity entity) {
        List<Property> properties = entity.properties();
        Invariant.check(properties.size() <= EntityLayout.COUNT_MAX, "entity has %s properties", properties.size());
        List<byte[]> parts = new ArrayList<>(2 * properties.size());
        int length = EntityLayout.PROPERTIES_AT;
        for (Property property : properties) {
            byte[] name = Utf8.encode(property.name());
            byte[] value = valueBytes(property.type(), property.value());
            Invariant.check(name.length <= 0xffff, "property name has %s bytes", name.length);
            parts.add(name);
            parts.add(value);
            length += EntityLayout.NAME_LENGTH_BYTES + name.length + 1 + value.length;
            length += EntityLayout.isSized(property.type()) ? EntityLayout.VALUE_LENGTH_BYTES : 0;
        }
        ByteBuffer encoded = ByteBuffer.allocate(length)
                .put(EntityLayout.FORMAT)
                .putLong(entity.timestamp())
                .putShort((short) properties.size());
        for (int i = 0; i < properties.size(); i++) {
            byte[] name = parts.get(2 * i);
            byte[] value = parts.get(2 * i + 1);
            EdmType type = properties.get(i).type();
            encoded.putShort((short) name.length).put(name).put((byte) type.number());
            if (EntityLayout.isSized(type)) {
                encoded.putInt(value.length);
            }
            encoded.put(value);
        }
        return encoded.array();
    }

    /** A value as it is stored, without the length of those that have one. */
    static byte[] valueBytes(EdmType type, Object value) {
        return switch (type) {
            case STRING -> Utf8.encode((String) value);
            case BINARY -> (byte[]) value;
            case BOOLEAN -> new byte[] {(byte) ((Boolean) value ? 1 : 0)};
            case INT32 ->
                ByteBuffer.allocate(Integer.BYTES).putInt((Integer) value).array();
            case INT64, DATETIME ->
                ByteBuffer.allocate(Long.BYTES).putLong((Long) value).array();
            case DOUBLE ->
                ByteBuffer.allocate(Long.BYTES).putDouble((Double) value).array();
            case GUID ->
                ByteBuffer.allocate(EntityLayout.GUID_BYTES)
                        .putLong(((UUID) value).getMostSignificantBits())
                        .putLong(((UUID) value).getLeastSignificantBits())
                        .array();
        };
    }

    public static Entity decode(byte[] bytes) {
        int count = EntityLayout.count(bytes);
        List<Property> properties = new ArrayList<>(Math.min(count, bytes.length));
        int at = EntityLayout.PROPERTIES_AT;
        for (int i = 0; i < count; i++) {
            int next = EntityLayout.next(bytes, at);
            EdmType type = EntityLayout.type(bytes, at);
            properties.add(new Property(
                    Utf8.decode(bytes, EntityLayout.nameStart(at), EntityLayout.nameEnd(bytes, at)),
                    type,
                    value(bytes, type, EntityLayout.valueStart(bytes, at, type), next)));
            at = next;
        }
        if (at != bytes.length) {
            throw new Damaged("entity goes on behind its last property, at " + at + " of " + bytes.length);
        }
        return new Entity(timestamp(bytes), properties);
    }

    private static Object value(byte[] bytes, EdmType type, int from, int to) {
        return switch (type) {
            case STRING -> Utf8.decode(bytes, from, to);
            case BINARY -> Arrays.copyOfRange(bytes, from, to);
            case BOOLEAN -> bytes[from] != 0;
            case INT32 -> EntityLayout.intAt(bytes, from);
            case INT64, DATETIME -> EntityLayout.longAt(bytes, from);
            case DOUBLE -> EntityLayout.doubleAt(bytes, from);
            case GUID -> new UUID(EntityLayout.longAt(bytes, from), EntityLayout.longAt(bytes, from + Long.BYTES));
        };
    }

    /** In {@link Ticks}. */
    public static long timestamp(byte[] bytes) {
        EntityLayout.checkHeader(bytes);
        return EntityLayout.longAt(bytes, EntityLayout.TIMESTAMP_AT);
    }

    /** Overwrites the timestamp in the array itself. */
    public static void stampTimestamp(byte[] encoded, long ticks) {
        EntityLayout.checkHeader(encoded);
        EntityLayout.putLong(encoded, EntityLayout.TIMESTAMP_AT, ticks);
    }

    public static int propertyCount(byte[] bytes) {
        return EntityLayout.count(bytes);
    }

    /**
     * The entity after a merge: the stored properties in their order, those that the changes name with the type and
     * value given there, then the new ones. The timestamp is the stored one; the caller stamps a new one.
     */
    public static byte[] merge(byte[] stored, byte[] changes) {
        ByteBuffer merged = ByteBuffer.allocate(stored.length + changes.length);
        merged.put(stored, 0, header(stored));
        int count = EntityLayout.count(stored);
        int at = EntityLayout.PROPERTIES_AT;
        for (int left = count; left > 0; left--) {
            int next = EntityLayout.next(stored, at);
            int change =
                    EntityLayout.find(changes, stored, EntityLayout.nameStart(at), EntityLayout.nameEnd(stored, at));
            if (change == EntityLayout.NONE) {
                merged.put(stored, at, next - at);
            } else {
                merged.put(changes, change, EntityLayout.next(changes, change) - change);
            }
            at = next;
        }
        at = EntityLayout.PROPERTIES_AT;
        for (int left = EntityLayout.count(changes); left > 0; left--) {
            int next = EntityLayout.next(changes, at);
            if (EntityLayout.find(stored, changes, EntityLayout.nameStart(at), EntityLayout.nameEnd(changes, at))
                    == EntityLayout.NONE) {
                merged.put(changes, at, next - at);
                count++;
            }
            at = next;
        }
        return finished(merged, count);
    }

    private static int header(byte[] bytes) {
        EntityLayout.checkHeader(bytes);
        return EntityLayout.PROPERTIES_AT;
    }

    private static byte[] finished(ByteBuffer made, int count) {
        Invariant.check(count <= EntityLayout.COUNT_MAX, "entity has %s properties", count);
        byte[] bytes = new byte[made.flip().remaining()];
        made.get(bytes);
        EntityLayout.putCount(bytes, count);
        return bytes;
    }

    /** The entity cut to the named properties, in the order in which they are stored; names that it does not have are passed over. */
    static byte[] select(byte[] stored, byte[][] names) {
        ByteBuffer selected = ByteBuffer.allocate(stored.length);
        selected.put(stored, 0, header(stored));
        int count = 0;
        int at = EntityLayout.PROPERTIES_AT;
        for (int left = EntityLayout.count(stored); left > 0; left--) {
            int next = EntityLayout.next(stored, at);
            if (isAmong(names, stored, EntityLayout.nameStart(at), EntityLayout.nameEnd(stored, at))) {
                selected.put(stored, at, next - at);
                count++;
            }
            at = next;
        }
        return finished(selected, count);
    }

    private static boolean isAmong(byte[][] names, byte[] bytes, int from, int to) {
        for (byte[] name : names) {
            if (name.length == to - from && Arrays.equals(name, 0, name.length, bytes, from, to)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The size by which {@link Limits#ENTITY_BYTES_MAX} is measured, texts as UTF-16: 4 + keys + for each property 8 + name
     * + value (4 more for those that have a length).
     */
    public static int size(Key key, byte[] bytes) {
        int keyChars = Utf8.utf16Length(key.bytes(), Math.min(Long.BYTES, key.bytes().length), key.bytes().length);
        int size = 4 + 2 * (key.isEntity() ? keyChars - 1 : keyChars);
        int at = EntityLayout.PROPERTIES_AT;
        for (int left = EntityLayout.count(bytes); left > 0; left--) {
            int next = EntityLayout.next(bytes, at);
            EdmType type = EntityLayout.type(bytes, at);
            int value = EntityLayout.valueStart(bytes, at, type);
            size += 8 + 2 * Utf8.utf16Length(bytes, EntityLayout.nameStart(at), EntityLayout.nameEnd(bytes, at));
            size += switch (type) {
                case STRING -> 4 + 2 * Utf8.utf16Length(bytes, value, next);
                case BINARY -> 4 + (next - value);
                case BOOLEAN, INT32, INT64, DOUBLE, DATETIME, GUID -> EntityLayout.fixedBytes(type);
            };
            at = next;
        }
        return size;
    }

    /**
     * True if the bytes, which may be any, are an entity that this codec could have written. Its names differ, are not empty, not too long
     * and not those of the keys or the timestamp; its texts are UTF-8, and its times can be shown. Other limits are not checked.
     */
    public static boolean isWellFormed(byte[] bytes) {
        return problem(bytes) == null;
    }

    /** The fault of the bytes, for people; null if they are well-formed. */
    public static @Nullable String problem(byte[] bytes) {
        try {
            int at = EntityLayout.PROPERTIES_AT;
            int count = EntityLayout.count(bytes);
            Set<ByteBuffer> names = new HashSet<>();
            for (int left = count; left > 0; left--) {
                int next = EntityLayout.next(bytes, at);
                checkName(bytes, EntityLayout.nameStart(at), EntityLayout.nameEnd(bytes, at));
                int nameLength = EntityLayout.nameEnd(bytes, at) - EntityLayout.nameStart(at);
                if (!names.add(ByteBuffer.wrap(bytes, EntityLayout.nameStart(at), nameLength))) {
                    throw new Damaged("two properties have one name");
                }
                checkValue(bytes, at, next);
                at = next;
            }
            return at == bytes.length ? null : "entity goes on behind its last property";
        } catch (Damaged damaged) {
            return damaged.getMessage();
        }
    }

    private static void checkName(byte[] bytes, int from, int to) {
        if (from == to || !Utf8.isWellFormed(bytes, from, to)) {
            throw new Damaged("property name is empty or not UTF-8");
        }
        if (Utf8.utf16Length(bytes, from, to) > Limits.PROPERTY_NAME_CHARS_MAX) {
            throw new Damaged("property name is longer than " + Limits.PROPERTY_NAME_CHARS_MAX + " characters");
        }
        if (RESERVED.contains(new String(bytes, from, to - from, StandardCharsets.UTF_8))) {
            throw new Damaged("property has the name of a key or of the timestamp");
        }
    }

    private static void checkValue(byte[] bytes, int at, int next) {
        EdmType type = EntityLayout.type(bytes, at);
        int value = EntityLayout.valueStart(bytes, at, type);
        if (type == EdmType.STRING && !Utf8.isWellFormed(bytes, value, next)) {
            throw new Damaged("text of a property is not UTF-8");
        }
        if (type == EdmType.BOOLEAN && (bytes[value] & ~1) != 0) {
            throw new Damaged("Boolean property is neither true nor false");
        }
        if (type == EdmType.DATETIME) {
            long ticks = EntityLayout.longAt(bytes, value);
            if (ticks < Ticks.MIN || ticks > Ticks.MAX) {
                throw new Damaged("DateTime property is beyond the years 1601 to 9999");
            }
        }
    }
}
