package cleave.model.entity;

import cleave.model.Damaged;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Walks over the properties of a stored entity without decoding it, to convert the bytes into another form. Confined
 * to its maker. {@link Damaged} where the bytes are no entity as far as it has walked.
 */
public final class EntityCursor {
    private final byte[] bytes;
    private int left;
    private int at;
    private int next = EntityLayout.PROPERTIES_AT;
    private EdmType type = EdmType.STRING;

    /** Stands before the first property. */
    public EntityCursor(byte[] entity) {
        bytes = entity;
        left = EntityLayout.count(entity);
    }

    /** Goes to the next property; false if there is none. Everything below is asked only after it was true. */
    public boolean advance() {
        if (left == 0) {
            return false;
        }
        left--;
        at = next;
        next = EntityLayout.next(bytes, at);
        type = EntityLayout.type(bytes, at);
        return true;
    }

    public String name() {
        int start = EntityLayout.nameStart(at);
        return new String(bytes, start, EntityLayout.nameEnd(bytes, at) - start, StandardCharsets.UTF_8);
    }

    public EdmType type() {
        return type;
    }

    /** The index in the entity's bytes at which the value begins: the UTF-8 of a String, the bytes of a Binary. */
    public int valueStart() {
        return EntityLayout.valueStart(bytes, at, type);
    }

    public int valueLength() {
        return next - valueStart();
    }

    /** The value of a Boolean. */
    public boolean booleanValue() {
        return bytes[valueStart()] != 0;
    }

    /** The value of an Int32. */
    public int intValue() {
        return EntityLayout.intAt(bytes, valueStart());
    }

    /** The value of an Int64, or the ticks of a DateTime. */
    public long longValue() {
        return EntityLayout.longAt(bytes, valueStart());
    }

    public double doubleValue() {
        return EntityLayout.doubleAt(bytes, valueStart());
    }

    public UUID guidValue() {
        int start = valueStart();
        return new UUID(EntityLayout.longAt(bytes, start), EntityLayout.longAt(bytes, start + Long.BYTES));
    }
}
