package cleave.chaos.conformance;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The oracle of filters: the conditions of the contract's grammar, with their meaning by the contract's rules. A row is the
 * properties that an entity has, by name, keys and Timestamp among them; values are those of {@link Edm}. Immutable. It shares no
 * code with the service.
 */
sealed interface Condition {
    /** The precedence of a form: a comparison binds more than "not", that more than "and", that more than "or". */
    int OR = 0;

    int AND = 1;
    int NOT = 2;
    int COMPARISON = 3;

    boolean holds(Map<String, Object> row);

    int binding();

    /** The text that a client writes, with parentheses only where they are needed. */
    String text();

    /** In parentheses if it binds less than the place where it stands needs. */
    default String text(int needed) {
        return binding() < needed ? "(" + text() + ")" : text();
    }

    /** A comparison of a property with a constant. */
    record Comparison(String name, Operator operator, String literal, Object constant, boolean constantFirst)
            implements Condition {
        @Override
        public boolean holds(Map<String, Object> row) {
            Operator effective = constantFirst ? operator.mirrored() : operator;
            Object property = row.get(name);
            // Rule "missing property": every comparison is false, "ne" too.
            return property != null && effective.holds(name, property, constant);
        }

        @Override
        public int binding() {
            return COMPARISON;
        }

        @Override
        public String text() {
            return constantFirst
                    ? literal + " " + operator.word() + " " + name
                    : name + " " + operator.word() + " " + literal;
        }
    }

    /** Rule "bare name": true if the property exists, is a Boolean, and is true. */
    record Flag(String name) implements Condition {
        @Override
        public boolean holds(Map<String, Object> row) {
            return Boolean.TRUE.equals(row.get(name));
        }

        @Override
        public int binding() {
            return COMPARISON;
        }

        @Override
        public String text() {
            return name;
        }
    }

    /** A constant by itself. */
    record Always(boolean value) implements Condition {
        @Override
        public boolean holds(Map<String, Object> row) {
            return value;
        }

        @Override
        public int binding() {
            return COMPARISON;
        }

        @Override
        public String text() {
            return Boolean.toString(value);
        }
    }

    /** The opposite, also where a property is missing. */
    record Not(Condition inner) implements Condition {
        @Override
        public boolean holds(Map<String, Object> row) {
            return !inner.holds(row);
        }

        @Override
        public int binding() {
            return NOT;
        }

        @Override
        public String text() {
            return inner instanceof Grouped ? "not" + inner.text() : "not " + inner.text(NOT);
        }
    }

    record And(Condition left, Condition right) implements Condition {
        @Override
        public boolean holds(Map<String, Object> row) {
            return left.holds(row) && right.holds(row);
        }

        @Override
        public int binding() {
            return AND;
        }

        @Override
        public String text() {
            return left.text(AND) + " and " + right.text(NOT);
        }
    }

    record Or(Condition left, Condition right) implements Condition {
        @Override
        public boolean holds(Map<String, Object> row) {
            return left.holds(row) || right.holds(row);
        }

        @Override
        public int binding() {
            return OR;
        }

        @Override
        public String text() {
            return left.text(OR) + " or " + right.text(AND);
        }
    }

    /** Parentheses and blanks that change nothing. */
    record Grouped(Condition inner) implements Condition {
        @Override
        public boolean holds(Map<String, Object> row) {
            return inner.holds(row);
        }

        @Override
        public int binding() {
            return COMPARISON;
        }

        @Override
        public String text() {
            return "( " + inner.text() + "  )";
        }
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
            return switch (this) {
                case EQ -> left == right;
                case NE -> left != right;
                case GT -> left > right;
                case GE -> left >= right;
                case LT -> left < right;
                case LE -> left <= right;
            };
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
        private static int order(Object left, Object right) {
            if (left instanceof String one && right instanceof String other) {
                return one.compareTo(other);
            }
            if (left instanceof Boolean one && right instanceof Boolean other) {
                return one.compareTo(other);
            }
            if (left instanceof Integer one && right instanceof Integer other) {
                return one.compareTo(other);
            }
            if (left instanceof Long one && right instanceof Long other) {
                return one.compareTo(other);
            }
            if (left instanceof Instant one && right instanceof Instant other) {
                return one.compareTo(other);
            }
            if (left instanceof Edm.Bytes one && right instanceof Edm.Bytes other) {
                return one.compareTo(other);
            }
            if (left instanceof UUID one && right instanceof UUID other) {
                return one.toString().compareTo(other.toString());
            }
            throw new AssertionError(left.getClass());
        }
    }
}
