package cleave.chaos.conformance;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The oracle of filters: a condition of the contract's grammar, with its meaning by the contract's rules. A row is the properties that an entity
 * has, by name, keys and Timestamp among them; values are those of {@link Edm}. Immutable. It shares no code with the service.
 *
 * @param text as a client writes it, with parentheses only where they are needed
 * @param meaning true of the rows for which it holds
 */
record Condition(String text, Form form, Predicate<Map<String, Object>> meaning) {
    /** The forms of a condition: each binds more than those before it. */
    private enum Form {
        OR,
        AND,
        NOT,
        COMPARISON,
        PARENTHESES
    }

    boolean holds(Map<String, Object> row) {
        return meaning.test(row);
    }

    /** In parentheses if it binds less than the place where it stands needs. */
    private String text(Form needed) {
        return form.compareTo(needed) < 0 ? "(" + text + ")" : text;
    }

    /** A comparison of a property with a constant. Rule "missing property": every comparison is false, "ne" too. */
    static Condition comparison(
            String name, Operator operator, String literal, Object constant, boolean constantFirst) {
        Operator effective = constantFirst ? operator.mirrored() : operator;
        return new Condition(
                constantFirst
                        ? literal + " " + operator.word() + " " + name
                        : name + " " + operator.word() + " " + literal,
                Form.COMPARISON,
                row -> {
                    Object property = row.get(name);
                    return property != null && effective.holds(name, property, constant);
                });
    }

    /** Rule "bare name": true if the property exists, is a Boolean, and is true. */
    static Condition flag(String name) {
        return new Condition(name, Form.COMPARISON, row -> Boolean.TRUE.equals(row.get(name)));
    }

    /** A constant by itself. */
    static Condition always(boolean value) {
        return new Condition(Boolean.toString(value), Form.COMPARISON, row -> value);
    }

    /** The opposite, also where a property is missing. */
    Condition negated() {
        return new Condition(
                form == Form.PARENTHESES ? "not" + text : "not " + text(Form.NOT), Form.NOT, meaning.negate());
    }

    Condition and(Condition other) {
        return new Condition(text(Form.AND) + " and " + other.text(Form.NOT), Form.AND, meaning.and(other.meaning));
    }

    Condition or(Condition other) {
        return new Condition(text(Form.OR) + " or " + other.text(Form.AND), Form.OR, meaning.or(other.meaning));
    }

    /** Parentheses and blanks that change nothing. */
    Condition inParentheses() {
        return new Condition("( " + text + "  )", Form.PARENTHESES, meaning);
    }

    /** The six comparisons. */
    enum Operator {
        EQ,
        NE,
        GT,
        GE,
        LT,
        LE;

        private static final Set<String> KEYS = Set.of("PartitionKey", "RowKey");

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Rule "constant on the left": {@code 5 lt Qty} is {@code Qty gt 5}. */
        Operator mirrored() {
            return switch (this) {
                case EQ, NE -> this;
                case GT -> LT;
                case GE -> LE;
                case LT -> GT;
                case LE -> GE;
            };
        }

        boolean holds(String name, Object property, Object constant) {
            Object widened = widened(constant, property);
            if (!widened.getClass().equals(property.getClass())) {
                return holdsForOtherTypes();
            }
            if (property instanceof Double left && widened instanceof Double right) {
                return holds(left.doubleValue(), right.doubleValue());
            }
            return holds(
                    KEYS.contains(name) ? orderOfKeys((String) property, (String) widened) : order(property, widened));
        }

        /** Rule "type mismatch": not equal, and the property counts as the smaller one. */
        private boolean holdsForOtherTypes() {
            return this == NE || this == LT || this == LE;
        }

        /** Rule "doubles": by IEEE 754, so that 0.0 equals -0.0 and NaN nothing. */
        private boolean holds(double left, double right) {
            if (Double.isNaN(left) || Double.isNaN(right)) {
                return this == NE;
            }
            return holds(left == right ? 0 : left < right ? -1 : 1);
        }

        private boolean holds(int order) {
            return switch (this) {
                case EQ -> order == 0;
                case NE -> order != 0;
                case GT -> order > 0;
                case GE -> order >= 0;
                case LT -> order < 0;
                case LE -> order <= 0;
            };
        }

        /** Rule "numeric widening": only the constant is widened, and only to the property's type. */
        private static Object widened(Object constant, Object property) {
            if (property instanceof Long && constant instanceof Integer int32) {
                return int32.longValue();
            }
            if (property instanceof Double && (constant instanceof Integer || constant instanceof Long)) {
                return ((Number) constant).doubleValue();
            }
            return constant;
        }

        /**
         * Rule of keys: ordinal, as they are stored, and so by code points. That differs from UTF-16 units only where characters
         * beyond U+FFFF meet those from U+E000; the contract does not know which of the two the original does.
         */
        static int orderOfKeys(String left, String right) {
            return Arrays.compare(
                    left.codePoints().toArray(), right.codePoints().toArray());
        }

        /** Rules of order: strings by UTF-16 units, false before true, instants, bytes unsigned, Guids as their text. */
        @SuppressWarnings("unchecked") // Both are of the same type, and all types are comparable.
        private static int order(Object left, Object right) {
            return left instanceof UUID
                    ? left.toString().compareTo(right.toString())
                    : ((Comparable<Object>) left).compareTo(right);
        }
    }
}
