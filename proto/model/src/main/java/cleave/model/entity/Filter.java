package cleave.model.entity;

/**
 * A query's filter: parsed once by the front end, evaluated on stored bytes by partition servers. Immutable.
 * Comparisons have the property on the left; a constant on the left was mirrored by the parser.
 */
public sealed interface Filter {
    record And(Filter left, Filter right) implements Filter {}

    record Or(Filter left, Filter right) implements Filter {}

    record Not(Filter operand) implements Filter {}

    /** PartitionKey, RowKey and Timestamp are named like any property. */
    record Compare(String property, Operator operator, Literal literal) implements Filter {}

    /** A bare name: true if the property exists, is Boolean and true. */
    record Flag(String property) implements Filter {}

    /** Always or never true. It stands alone: the parser resolves it within connectives, and it never travels. */
    record Constant(boolean value) implements Filter {}

    enum Operator {
        EQ,
        NE,
        GT,
        GE,
        LT,
        LE
    }
}
