package cleave.model.entity;

import cleave.model.Damaged;
import cleave.model.Limits;
import cleave.model.Utf8;
import cleave.model.entity.Filter.Operator;
import cleave.wire.CompareOp;
import cleave.wire.FilterCompare;
import cleave.wire.FilterConnective;
import cleave.wire.FilterNode;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;

/**
 * Filters on the wire: flat, in postfix order. Bounded by {@link Limits#FILTER_NODES_MAX} and
 * {@link Limits#FILTER_DEPTH_MAX}, so that recursion over a received filter is safe.
 *
 * <p>Chains of one connective ({@code A or B or C ...}) are sent balanced: both connectives are associative, and a long
 * chain is a thing that people write, while deep nesting is not.
 */
public final class FilterCodec {
    private FilterCodec() {}

    /**
     * IllegalArgumentException if the filter is beyond the bounds (a parser bounds it before), holds a lone surrogate, or is a
     * constant: such a query is decided where it is planned.
     */
    public static cleave.wire.Filter toWire(Filter filter) {
        cleave.wire.Filter.Builder wire = cleave.wire.Filter.newBuilder();
        Deque<Object> tasks = new ArrayDeque<>();
        tasks.push(filter);
        while (!tasks.isEmpty()) {
            Object task = tasks.pop();
            if (task instanceof Filter part) {
                emit(part, wire, tasks);
            } else if (task instanceof Chain chain) {
                chain.pushHalves(tasks);
            } else if (task instanceof FilterConnective connective) {
                wire.addNodes(FilterNode.newBuilder().setConnective(connective));
            }
            if (wire.getNodesCount() > Limits.FILTER_NODES_MAX) {
                throw new IllegalArgumentException("filter has more than " + Limits.FILTER_NODES_MAX + " parts");
            }
        }
        cleave.wire.Filter made = wire.build();
        if (depth(made) > Limits.FILTER_DEPTH_MAX) {
            throw new IllegalArgumentException("filter is nested deeper than " + Limits.FILTER_DEPTH_MAX);
        }
        return made;
    }

    private static void emit(Filter part, cleave.wire.Filter.Builder wire, Deque<Object> tasks) {
        if (part instanceof Filter.And || part instanceof Filter.Or) {
            tasks.push(Chain.of(part));
        } else if (part instanceof Filter.Not not) {
            tasks.push(FilterConnective.NOT);
            tasks.push(not.operand());
        } else if (part instanceof Filter.Flag flag) {
            Utf8.encode(flag.property());
            wire.addNodes(FilterNode.newBuilder().setFlag(flag.property()));
        } else if (part instanceof Filter.Compare compare) {
            Utf8.encode(compare.property());
            wire.addNodes(FilterNode.newBuilder()
                    .setCompare(FilterCompare.newBuilder()
                            .setProperty(compare.property())
                            .setOp(operatorToWire(compare.operator()))
                            .setLiteral(literalToWire(compare.literal()))));
        } else if (part instanceof Filter.Constant) {
            throw new IllegalArgumentException("a constant filter does not travel");
        } else {
            throw new AssertionError("unhandled filter " + part);
        }
    }

    /** The operands, at least one, of a chain of one connective. */
    private record Chain(FilterConnective connective, List<Filter> operands) {
        static Chain of(Filter root) {
            boolean isAnd = root instanceof Filter.And;
            List<Filter> operands = new ArrayList<>();
            Deque<Filter> left = new ArrayDeque<>();
            left.push(root);
            while (!left.isEmpty()) {
                Filter part = left.pop();
                if (isAnd && part instanceof Filter.And and) {
                    left.push(and.right());
                    left.push(and.left());
                } else if (!isAnd && part instanceof Filter.Or or) {
                    left.push(or.right());
                    left.push(or.left());
                } else {
                    operands.add(part);
                }
            }
            return new Chain(isAnd ? FilterConnective.AND : FilterConnective.OR, operands);
        }

        void pushHalves(Deque<Object> tasks) {
            if (operands.size() == 1) {
                tasks.push(operands.get(0));
                return;
            }
            int half = (operands.size() + 1) / 2;
            tasks.push(connective);
            tasks.push(new Chain(connective, operands.subList(half, operands.size())));
            tasks.push(new Chain(connective, operands.subList(0, half)));
        }
    }

    /** {@link Damaged} if the message is no filter, or one beyond the bounds. */
    public static Filter fromWire(cleave.wire.Filter wire) {
        if (depth(wire) > Limits.FILTER_DEPTH_MAX) {
            throw new Damaged("filter is nested deeper than " + Limits.FILTER_DEPTH_MAX);
        }
        Deque<Filter> operands = new ArrayDeque<>();
        for (FilterNode node : wire.getNodesList()) {
            operands.push(filter(node, operands));
        }
        return operands.pop();
    }

    private static Filter filter(FilterNode node, Deque<Filter> operands) {
        return switch (node.getNodeCase()) {
            case COMPARE -> {
                FilterCompare compare = node.getCompare();
                yield new Filter.Compare(compare.getProperty(), operator(compare), literal(compare.getLiteral()));
            }
            case FLAG -> new Filter.Flag(node.getFlag());
            case CONNECTIVE -> connected(node.getConnective(), operands);
            case NODE_NOT_SET -> throw new Damaged("filter has an empty part");
        };
    }

    private static Filter connected(FilterConnective connective, Deque<Filter> operands) {
        Filter right = operands.pop();
        if (connective == FilterConnective.NOT) {
            return new Filter.Not(right);
        }
        Filter left = operands.pop();
        return connective == FilterConnective.AND ? new Filter.And(left, right) : new Filter.Or(left, right);
    }

    /** The depth of the filter's nesting; {@link Damaged} if it is no filter: operands are missing or left over, or there are too many. */
    private static int depth(cleave.wire.Filter wire) {
        if (wire.getNodesCount() == 0 || wire.getNodesCount() > Limits.FILTER_NODES_MAX) {
            throw new Damaged("filter has " + wire.getNodesCount() + " parts");
        }
        int[] depths = new int[wire.getNodesCount()];
        int operands = 0;
        for (FilterNode node : wire.getNodesList()) {
            int depth = 1;
            if (node.hasConnective()) {
                int taken = taken(node.getConnective());
                if (operands < taken) {
                    throw new Damaged("filter lacks an operand");
                }
                for (int i = 0; i < taken; i++) {
                    depth = Math.max(depth, 1 + depths[--operands]);
                }
            }
            depths[operands++] = depth;
        }
        if (operands != 1) {
            throw new Damaged("filter has " + operands + " results");
        }
        return depths[0];
    }

    private static int taken(FilterConnective connective) {
        return switch (connective) {
            case AND, OR -> 2;
            case NOT -> 1;
            case UNRECOGNIZED -> throw new Damaged("filter has an unknown connective");
        };
    }

    private static CompareOp operatorToWire(Operator operator) {
        return switch (operator) {
            case EQ -> CompareOp.EQ;
            case NE -> CompareOp.NE;
            case GT -> CompareOp.GT;
            case GE -> CompareOp.GE;
            case LT -> CompareOp.LT;
            case LE -> CompareOp.LE;
        };
    }

    private static Operator operator(FilterCompare compare) {
        return switch (compare.getOp()) {
            case EQ -> Operator.EQ;
            case NE -> Operator.NE;
            case GT -> Operator.GT;
            case GE -> Operator.GE;
            case LT -> Operator.LT;
            case LE -> Operator.LE;
            case UNRECOGNIZED -> throw new Damaged("filter has an unknown operator");
        };
    }

    private static cleave.wire.Literal literalToWire(Literal literal) {
        cleave.wire.Literal.Builder wire = cleave.wire.Literal.newBuilder();
        Object value = literal.value();
        switch (literal.type()) {
            case STRING -> {
                Utf8.encode((String) value);
                wire.setStringValue((String) value);
            }
            case BINARY -> wire.setBinaryValue(UnsafeByteOperations.unsafeWrap((byte[]) value));
            case BOOLEAN -> wire.setBooleanValue((Boolean) value);
            case INT32 -> wire.setInt32Value((Integer) value);
            case INT64 -> wire.setInt64Value((Long) value);
            case DOUBLE -> wire.setDoubleValue((Double) value);
            case DATETIME -> wire.setDatetimeValue((Long) value);
            case GUID ->
                wire.setGuidValue(UnsafeByteOperations.unsafeWrap(EntityCodec.valueBytes(EdmType.GUID, value)));
        }
        return wire.build();
    }

    private static Literal literal(cleave.wire.Literal wire) {
        return switch (wire.getValueCase()) {
            case STRING_VALUE -> new Literal(EdmType.STRING, wire.getStringValue());
            case BINARY_VALUE ->
                new Literal(EdmType.BINARY, wire.getBinaryValue().toByteArray());
            case BOOLEAN_VALUE -> new Literal(EdmType.BOOLEAN, wire.getBooleanValue());
            case INT32_VALUE -> new Literal(EdmType.INT32, wire.getInt32Value());
            case INT64_VALUE -> new Literal(EdmType.INT64, wire.getInt64Value());
            case DOUBLE_VALUE -> new Literal(EdmType.DOUBLE, wire.getDoubleValue());
            case DATETIME_VALUE -> new Literal(EdmType.DATETIME, wire.getDatetimeValue());
            case GUID_VALUE ->
                new Literal(EdmType.GUID, guid(wire.getGuidValue().asReadOnlyByteBuffer()));
            case VALUE_NOT_SET -> throw new Damaged("filter has an empty literal");
        };
    }

    private static UUID guid(ByteBuffer bytes) {
        if (bytes.remaining() != EntityLayout.GUID_BYTES) {
            throw new Damaged("Guid literal has " + bytes.remaining() + " bytes");
        }
        return new UUID(bytes.getLong(), bytes.getLong());
    }
}
