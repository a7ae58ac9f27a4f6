package cleave.model.entity;

import cleave.model.Key;
import cleave.model.Utf8;
import cleave.model.entity.Filter.Operator;
import java.util.Arrays;

/**
 * One comparison of a filter, made ready to run on stored bytes. Immutable.
 *
 * <p>A flag is the comparison {@code name eq true}: a missing property and one that is not Boolean fail both.
 */
final class Comparison {
    private enum Subject {
        PARTITION_KEY,
        ROW_KEY,
        TIMESTAMP,
        PROPERTY
    }

    /** The relation of a property to the literal, besides less (-1), same (0) and more (1). */
    private static final int UNORDERED = 2;

    private static final int OTHER_TYPE = 3;
    private static final byte[] NO_BYTES = {};

    private final Subject subject;
    private final byte[] name;
    private final Operator operator;
    private final EdmType type;
    /** The literal: as a whole number, as a double and as bytes, so far as its type is any of these. */
    private final long whole;

    private final double real;
    private final byte[] bytes;

    Comparison(String property, Operator operator, Literal literal) {
        this.subject = subject(property);
        this.name = Utf8.encode(property);
        this.operator = operator;
        this.type = literal.type();
        Object value = literal.value();
        this.whole = value instanceof Boolean truth
                ? (truth ? 1 : 0)
                : value instanceof Number number ? number.longValue() : 0;
        this.real = value instanceof Number number ? number.doubleValue() : 0;
        this.bytes = switch (type) {
            case STRING, BINARY, GUID -> EntityCodec.valueBytes(type, value);
            case BOOLEAN, INT32, INT64, DOUBLE, DATETIME -> NO_BYTES;
        };
    }

    private static Subject subject(String property) {
        return switch (property) {
            case "PartitionKey" -> Subject.PARTITION_KEY;
            case "RowKey" -> Subject.ROW_KEY;
            case "Timestamp" -> Subject.TIMESTAMP;
            default -> Subject.PROPERTY;
        };
    }

    boolean holds(Key key, byte[] entity) {
        return switch (subject) {
            case PARTITION_KEY ->
                key.bytes().length >= Long.BYTES && holds(orderOfKey(key, Long.BYTES, key.partitionEnd()));
            case ROW_KEY -> key.isEntity() && holds(orderOfKey(key, key.partitionEnd() + 1, key.bytes().length));
            case TIMESTAMP -> {
                EntityLayout.checkHeader(entity);
                yield holds(order(EdmType.DATETIME, entity, EntityLayout.TIMESTAMP_AT, EntityLayout.COUNT_AT));
            }
            case PROPERTY -> holdsForProperty(entity);
        };
    }

    private boolean holdsForProperty(byte[] entity) {
        int at = EntityLayout.find(entity, name);
        if (at == EntityLayout.NONE) {
            return false;
        }
        EdmType stored = EntityLayout.type(entity, at);
        int from = EntityLayout.valueStart(entity, at, stored);
        return holds(order(stored, entity, from, EntityLayout.next(entity, at)));
    }

    /** Keys compare as bytes, that is by code points: so do they in the key space. */
    private int orderOfKey(Key key, int from, int to) {
        return type == EdmType.STRING
                ? Integer.signum(Arrays.compareUnsigned(key.bytes(), from, to, bytes, 0, bytes.length))
                : OTHER_TYPE;
    }

    private int order(EdmType stored, byte[] entity, int from, int to) {
        if (type != stored && !widensTo(stored)) {
            return OTHER_TYPE;
        }
        return switch (stored) {
            case STRING -> Utf8.compareAsUtf16(entity, from, to, bytes, 0, bytes.length);
            case BINARY, GUID -> Integer.signum(Arrays.compareUnsigned(entity, from, to, bytes, 0, bytes.length));
            case BOOLEAN -> Long.compare(entity[from], whole);
            case INT32 -> Long.compare(EntityLayout.intAt(entity, from), whole);
            case INT64, DATETIME -> Long.compare(EntityLayout.longAt(entity, from), whole);
            case DOUBLE -> order(EntityLayout.doubleAt(entity, from), real);
        };
    }

    private boolean widensTo(EdmType stored) {
        return (stored == EdmType.INT64 && type == EdmType.INT32)
                || (stored == EdmType.DOUBLE && (type == EdmType.INT32 || type == EdmType.INT64));
    }

    /** By IEEE 754: both zeros are the same, NaN is neither less than, nor same as, nor more than anything. */
    private static int order(double stored, double literal) {
        return stored < literal ? -1 : stored > literal ? 1 : stored == literal ? 0 : UNORDERED;
    }

    private boolean holds(int order) {
        if (order == OTHER_TYPE) {
            return operator == Operator.NE || operator == Operator.LT || operator == Operator.LE;
        }
        if (order == UNORDERED) {
            return operator == Operator.NE;
        }
        return switch (operator) {
            case EQ -> order == 0;
            case NE -> order != 0;
            case GT -> order > 0;
            case GE -> order >= 0;
            case LT -> order < 0;
            case LE -> order <= 0;
        };
    }
}
