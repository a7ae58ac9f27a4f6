package cleave.frontend.protocol.odata;

import cleave.frontend.protocol.odata.FilterToken.Kind;
import cleave.model.Limits;
import cleave.model.Utf8;
import cleave.model.entity.EdmType;
import cleave.model.entity.Filter;
import cleave.model.entity.Literal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Parses {@code $filter}. Confined to one parse. Comparisons bind tighter than {@code not}, {@code not} than {@code and}, {@code and}
 * than {@code or}. A chain of one connective becomes a balanced tree, so only parentheses and {@code not} nest. Nesting and the number of
 * comparisons are bounded, so no filter exhausts the stack, here or where it is evaluated (invariant I10). Constants are folded: one
 * remains only if it is the whole filter.
 */
public final class FilterParser {
    /** Maximum nesting of parentheses and {@code not}: what fits into the stack of any thread. */
    static final int NESTING_MAX = 250;

    static final int COMPARISONS_MAX = 1000;
    private static final int LENGTH_MAX = 64 * 1024;

    private static final Set<String> CONNECTIVES = Set.of("and", "or", "not");
    private static final Set<String> COMPARISONS = Set.of("eq", "ne", "gt", "ge", "lt", "le");
    /** Operators of OData that the service does not implement. */
    private static final Set<String> NOT_IMPLEMENTED = Set.of("add", "sub", "mul", "div", "mod", "has", "in");

    /** A part of an expression: a property, a constant, or a condition. What a property stands for depends on its context. */
    private sealed interface Part {}

    private record Name(String name) implements Part {}

    /** @param literal null: the null constant */
    private record Constant(@Nullable Literal literal) implements Part {}

    private record Condition(Filter filter) implements Part {}

    private final String text;
    private final FilterScanner scanner;
    private FilterToken token;
    private int nesting;
    private int comparisons;

    private FilterParser(String text) {
        this.text = text;
        this.scanner = new FilterScanner(text);
        this.token = scanner.next();
    }

    /** The filter of a text that is not blank. */
    public static Filter parse(String text) {
        try {
            return read(text);
        } catch (StackOverflowError deep) {
            throw tooComplex(); // The stack of this thread is unusually small. No state is left behind.
        }
    }

    private static Filter read(String text) {
        if (text.length() > LENGTH_MAX || !Utf8.isWhole(text)) {
            throw ServiceError.of(ServiceCode.INVALID_INPUT);
        }
        FilterParser parser = new FilterParser(text);
        Part whole = parser.or();
        if (parser.token.kind() != Kind.END) {
            throw parser.syntaxError();
        }
        Filter filter = parser.alone(whole);
        if (FilterDepth.of(filter) > Limits.FILTER_DEPTH_MAX) {
            throw tooComplex();
        }
        return filter;
    }

    // Each level of parentheses costs four calls, and a `not` costs none, because calls use up the stack.

    private Part or() {
        Operands alternatives = null;
        while (true) {
            Part part = not();
            if (isWord("and")) {
                Operands all = new Operands("And", part);
                while (isWord("and")) {
                    advance();
                    all.add(not());
                }
                part = new Condition(all.connected(true, Filter.And::new));
            }
            if (alternatives != null) {
                alternatives.add(part);
            }
            if (!isWord("or")) {
                return alternatives == null ? part : new Condition(alternatives.connected(false, Filter.Or::new));
            }
            if (alternatives == null) {
                alternatives = new Operands("Or", part);
            }
            advance();
        }
    }

    /** The operands of a chain of one connective. */
    private final class Operands {
        private final String kind;
        private final List<Filter> filters = new ArrayList<>();
        private Part last;

        Operands(String kind, Part first) {
            this.kind = kind;
            this.last = first;
        }

        void add(Part next) {
            checkOperands(last, next, kind);
            if (filters.isEmpty()) {
                filters.add(condition(last));
            }
            filters.add(condition(next));
            last = new Condition(filters.get(0));
        }

        /** @param neutral the constant that does not affect the result; its negation decides it */
        Filter connected(boolean neutral, BinaryOperator<Filter> connective) {
            if (filters.contains(new Filter.Constant(!neutral))) {
                return new Filter.Constant(!neutral);
            }
            filters.removeIf(filter -> filter.equals(new Filter.Constant(neutral)));
            return filters.isEmpty() ? new Filter.Constant(neutral) : balanced(filters, connective);
        }
    }

    private static Filter balanced(List<Filter> operands, BinaryOperator<Filter> connective) {
        if (operands.size() == 1) {
            return operands.get(0);
        }
        int half = (operands.size() + 1) / 2;
        return connective.apply(
                balanced(operands.subList(0, half), connective),
                balanced(operands.subList(half, operands.size()), connective));
    }

    private Part not() {
        int nots = 0;
        while (isWord("not")) {
            enter();
            advance();
            nots++;
        }
        Part part = comparison();
        for (; nots > 0; nots--) {
            part = negated(part);
            nesting--;
        }
        return part;
    }

    private Part negated(Part operand) {
        String type = nonBooleanType(operand);
        if (type != null) {
            throw ServiceError.of(
                    ServiceCode.INVALID_INPUT,
                    "A unary operator with an incompatible type was detected. Found operand type '" + type
                            + "' for operator kind 'Not'.");
        }
        Filter filter = condition(operand);
        return new Condition(
                filter instanceof Filter.Constant constant
                        ? new Filter.Constant(!constant.value())
                        : new Filter.Not(filter));
    }

    private Part comparison() {
        Part left = operand();
        if (token.kind() != Kind.WORD) {
            return left;
        }
        if (NOT_IMPLEMENTED.contains(token.text())) {
            throw ServiceError.of(ServiceCode.NOT_IMPLEMENTED);
        }
        if (!COMPARISONS.contains(token.text())) {
            return left;
        }
        Filter.Operator operator = operator(token.text());
        advance();
        Part right = operand();
        if (token.kind() == Kind.WORD && NOT_IMPLEMENTED.contains(token.text())) {
            throw ServiceError.of(ServiceCode.NOT_IMPLEMENTED);
        }
        if (++comparisons > COMPARISONS_MAX) {
            throw tooComplex();
        }
        return new Condition(compare(left, operator, right));
    }

    private static Filter.Operator operator(String word) {
        return switch (word) {
            case "eq" -> Filter.Operator.EQ;
            case "ne" -> Filter.Operator.NE;
            case "gt" -> Filter.Operator.GT;
            case "ge" -> Filter.Operator.GE;
            case "lt" -> Filter.Operator.LT;
            case "le" -> Filter.Operator.LE;
            default -> throw new AssertionError("unhandled operator " + word);
        };
    }

    private static Filter compare(Part left, Filter.Operator operator, Part right) {
        if (left instanceof Name name && right instanceof Constant constant) {
            return new Filter.Compare(name.name, operator, comparable(constant, operator));
        }
        if (left instanceof Constant constant && right instanceof Name name) {
            return new Filter.Compare(name.name, mirrored(operator), comparable(constant, operator));
        }
        throw ServiceError.of(ServiceCode.NOT_IMPLEMENTED);
    }

    private static Filter.Operator mirrored(Filter.Operator operator) {
        return switch (operator) {
            case EQ, NE -> operator;
            case GT -> Filter.Operator.LT;
            case GE -> Filter.Operator.LE;
            case LT -> Filter.Operator.GT;
            case LE -> Filter.Operator.GE;
        };
    }

    private static Literal comparable(Constant constant, Filter.Operator operator) {
        if (constant.literal != null) {
            return constant.literal;
        }
        String name = switch (operator) {
            case EQ, NE -> throw ServiceError.of(ServiceCode.INVALID_INPUT);
            case GT -> "GreaterThan";
            case GE -> "GreaterThanOrEqual";
            case LT -> "LessThan";
            case LE -> "LessThanOrEqual";
        };
        throw ServiceError.of(
                ServiceCode.INVALID_INPUT,
                "The operator '" + name
                        + "' is not supported for the 'null' literal; only equality checks are supported.");
    }

    private Part operand() {
        FilterToken first = token;
        switch (first.kind()) {
            case OPEN -> {
                enter();
                advance();
                Part inner = or();
                if (token.kind() != Kind.CLOSE) {
                    throw syntaxError();
                }
                advance();
                nesting--;
                return inner;
            }
            case CONSTANT -> {
                advance();
                return new Constant(first.literal());
            }
            case NULL -> {
                advance();
                return new Constant(null);
            }
            case WORD -> {
                if (CONNECTIVES.contains(first.text()) || COMPARISONS.contains(first.text())) {
                    throw syntaxError();
                }
                advance();
                if (token.kind() == Kind.OPEN) {
                    throw ServiceError.of(ServiceCode.NOT_IMPLEMENTED);
                }
                return new Name(first.text());
            }
            case CLOSE, END, BROKEN -> throw syntaxError();
        }
        throw new AssertionError("unhandled token " + first);
    }

    /** The filter that consists of this part alone. */
    private Filter alone(Part part) {
        if (nonBooleanType(part) != null) {
            throw ServiceError.of(
                    ServiceCode.INVALID_INPUT, "The $filter expression must evaluate to a single boolean value.");
        }
        return condition(part);
    }

    private static void checkOperands(Part left, Part right, String kind) {
        String leftType = nonBooleanType(left);
        String rightType = nonBooleanType(right);
        if (leftType != null || rightType != null) {
            throw ServiceError.of(
                    ServiceCode.INVALID_INPUT,
                    "A binary operator with incompatible types was detected. Found operand types '"
                            + (leftType == null ? "Edm.Boolean" : leftType) + "' and '"
                            + (rightType == null ? "Edm.Boolean" : rightType) + "' for operator kind '" + kind + "'.");
        }
    }

    /** The type of a part that cannot be Boolean; null for any other part. Only the system properties have a known type. */
    private static @Nullable String nonBooleanType(Part part) {
        if (part instanceof Name name) {
            return switch (name.name) {
                case Keys.PARTITION_KEY, Keys.ROW_KEY -> "Edm.String";
                case Keys.TIMESTAMP -> "Edm.DateTime";
                default -> null;
            };
        }
        if (part instanceof Constant constant) {
            Literal literal = constant.literal;
            return literal == null ? "null" : literal.type() == EdmType.BOOLEAN ? null : EdmNames.of(literal.type());
        }
        return null;
    }

    /** The part as a condition; a property alone is a Boolean one. */
    private Filter condition(Part part) {
        if (part instanceof Condition condition) {
            return condition.filter;
        }
        if (part instanceof Name name) {
            if (++comparisons > COMPARISONS_MAX) {
                throw tooComplex();
            }
            return new Filter.Flag(name.name);
        }
        if (part instanceof Constant constant
                && constant.literal != null
                && constant.literal.value() instanceof Boolean value) {
            return new Filter.Constant(value);
        }
        throw new AssertionError("unhandled part " + part);
    }

    private boolean isWord(String word) {
        return token.kind() == Kind.WORD && token.text().equals(word);
    }

    private void advance() {
        token = scanner.next();
    }

    private void enter() {
        if (++nesting > NESTING_MAX) {
            throw tooComplex();
        }
    }

    private static ServiceError tooComplex() {
        return ServiceError.of(ServiceCode.INVALID_INPUT, "The filter is too complex.");
    }

    private ServiceError syntaxError() {
        return SyntaxErrors.token(text, token.end());
    }
}
