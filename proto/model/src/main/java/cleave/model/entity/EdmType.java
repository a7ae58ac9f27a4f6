package cleave.model.entity;

import cleave.model.Ticks;

/** The types of properties, with their number in stored bytes. The Java value of each stands beside it. */
public enum EdmType {
    /** {@link String} of whole characters: no lone surrogate. */
    STRING(1),
    /** {@code byte[]}. */
    BINARY(2),
    /** {@link Boolean}. */
    BOOLEAN(3),
    /** {@link Integer}. */
    INT32(4),
    /** {@link Long}. */
    INT64(5),
    /** {@link Double}. */
    DOUBLE(6),
    /** {@link Long}: {@link Ticks}. */
    DATETIME(7),
    /** {@link java.util.UUID}. */
    GUID(8);

    private static final EdmType[] BY_NUMBER = new EdmType[9];

    static {
        for (EdmType type : values()) {
            BY_NUMBER[type.number] = type;
        }
    }

    private final int number;

    EdmType(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** The type of a number in stored bytes; null for a number that is none's. */
    public static @org.jspecify.annotations.Nullable EdmType ofNumber(int number) {
        return number > 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    }
}
