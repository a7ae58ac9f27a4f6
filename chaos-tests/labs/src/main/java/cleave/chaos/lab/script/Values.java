package cleave.chaos.lab.script;

import cleave.chaos.lab.LabEntity;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The values of expressions: whole numbers, other numbers, texts, truths, bytes, lists, entities and results. Pure. */
final class Values {
    private Values() {}

    /** Whole, if both are and the result is. */
    static Object calculated(String sign, Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b && (!sign.equals("/") || a % b == 0)) {
            return switch (sign) {
                case "+" -> a + b;
                case "-" -> a - b;
                case "*" -> a * b;
                case "/" -> a / b;
                default -> a % b;
            };
        }
        if (sign.equals("+") && left instanceof List<?> a && right instanceof List<?> b) {
            List<Object> both = new ArrayList<>(a);
            both.addAll(b);
            return both;
        }
        double a = number(left);
        double b = number(right);
        return switch (sign) {
            case "+" -> a + b;
            case "-" -> a - b;
            case "*" -> a * b;
            case "/" -> a / b;
            default -> a % b;
        };
    }

    static boolean compared(String sign, Object left, Object right) {
        return switch (sign) {
            case "==" -> isSame(left, right);
            case "!=" -> !isSame(left, right);
            case "<" -> order(left, right) < 0;
            case "<=" -> order(left, right) <= 0;
            case ">" -> order(left, right) > 0;
            default -> order(left, right) >= 0;
        };
    }

    private static boolean isSame(Object left, Object right) {
        if (left instanceof List<?> a && right instanceof List<?> b) {
            return a.size() == b.size() && IntStream.range(0, a.size()).allMatch(i -> isSame(a.get(i), b.get(i)));
        }
        return (left instanceof Number && right instanceof Number)
                ? order(left, right) == 0
                : Objects.deepEquals(left, right);
    }

    static int order(Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            return Long.compare(a, b);
        }
        return left instanceof String a && right instanceof String b
                ? a.compareTo(b)
                : Double.compare(number(left), number(right));
    }

    static double number(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        throw new IllegalArgumentException("'" + text(value) + "' is no number");
    }

    static boolean truth(Object value) {
        if (value instanceof Boolean truth) {
            return truth;
        }
        throw new IllegalArgumentException("'" + text(value) + "' is neither true nor false");
    }

    /** A result of a query has its entities. */
    static List<?> list(Object value) {
        if (value instanceof List<?> list) {
            return list;
        }
        if (value instanceof Result result) {
            return result.entities();
        }
        throw new IllegalArgumentException("'" + text(value) + "' is no list");
    }

    static List<Object> range(Object first, Object last) {
        return LongStream.rangeClosed((long) number(first), (long) number(last))
                .mapToObj(i -> (Object) i)
                .toList();
    }

    static Object item(Object list, Object index) {
        List<?> items = list(list);
        int at = (int) number(index);
        if (at < 0 || at >= items.size()) {
            throw new IllegalArgumentException("there is no item " + at + " of " + items.size());
        }
        return items.get(at);
    }

    /** A field of a value; of a list, the list of the fields of its items. */
    static Object field(Object value, String name) {
        if (value instanceof List<?> list) {
            return list.stream().map(item -> field(item, name)).toList();
        }
        if (value instanceof Result result) {
            return result.field(name);
        }
        if (value instanceof LabEntity entity) {
            return switch (name) {
                case "PartitionKey" -> entity.partition();
                case "RowKey" -> entity.row();
                case "etag" -> entity.etag();
                default -> property(entity, name);
            };
        }
        if (value.getClass().getName().startsWith("cleave.")) {
            return component(value, name);
        }
        throw new IllegalArgumentException("'" + text(value) + "' has no " + name);
    }

    /** Calls a method without parameters, such as the accessor of a component of a record. */
    static Object component(Object record, String name) {
        try {
            Method method = record.getClass().getDeclaredMethod(name);
            method.setAccessible(true);
            return plain(method.invoke(record));
        } catch (ReflectiveOperationException none) {
            throw new IllegalArgumentException(record.getClass().getSimpleName() + " has no " + name, none);
        }
    }

    private static Object plain(Object value) {
        if (value instanceof Collection<?> collection) {
            return collection.stream().map(Values::plain).toList();
        }
        if (value instanceof Enum<?>) {
            return value.toString();
        }
        return value instanceof Integer number ? (Object) number.longValue() : value;
    }

    private static Object property(LabEntity entity, String name) {
        Object value = entity.properties().get(name);
        if (value == null) {
            throw new IllegalArgumentException(entity.partition() + "/" + entity.row() + " has no property " + name);
        }
        return plain(value);
    }

    static LabEntity entity(Object value) {
        if (value instanceof LabEntity entity) {
            return entity;
        }
        if (value instanceof Result result) {
            return result.entity();
        }
        throw new IllegalArgumentException("'" + text(value) + "' is no entity");
    }

    static byte[] bytes(Object value) {
        return value instanceof byte[] bytes ? bytes : text(value).getBytes(StandardCharsets.UTF_8);
    }

    /** The value as a property: a small whole number is an Int32. */
    static Object stored(Object value) {
        return value instanceof Long number && number == number.intValue() ? (Object) number.intValue() : value;
    }

    static String text(Object value) {
        if (value instanceof Double number && number == Math.rint(number)) {
            return String.format(Locale.ROOT, "%.0f", number);
        }
        if (value instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Values::text).collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof LabEntity entity ? entity.properties().toString() : String.valueOf(value);
    }

    /**
     * The form in which a text has it.
     *
     * @param format empty; a number of digits, to be filled with zeros; a comma, for commas between thousands; or a point and a number of decimals
     */
    static String text(Object value, @Nullable String format) {
        if (format == null) {
            return text(value);
        }
        if (format.startsWith(".")) {
            return String.format(Locale.ROOT, "%" + format + "f", number(value));
        }
        String whole = format.equals(",") ? "%,d" : "%0" + format + "d";
        return String.format(Locale.ROOT, whole, value instanceof Long number ? number : Math.round(number(value)));
    }
}
