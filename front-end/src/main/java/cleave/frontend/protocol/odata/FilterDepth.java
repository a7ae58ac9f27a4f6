package cleave.frontend.protocol.odata;

import cleave.model.entity.Filter;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The depth of a filter on the wire, where a chain of one connective is a balanced tree however it was parenthesized: clients send
 * {@code (((a or b) or c) or d)}, which is a chain and not deep.
 */
final class FilterDepth {
    private FilterDepth() {}

    static int of(Filter filter) {
        if (filter instanceof Filter.Not not) {
            return 1 + of(not.operand());
        }
        if (!(filter instanceof Filter.And) && !(filter instanceof Filter.Or)) {
            return 1;
        }
        int operands = 0;
        int deepest = 0;
        Deque<Filter> left = new ArrayDeque<>();
        left.push(filter);
        while (!left.isEmpty()) {
            Filter part = left.pop();
            if (filter instanceof Filter.And && part instanceof Filter.And and) {
                left.push(and.left());
                left.push(and.right());
            } else if (filter instanceof Filter.Or && part instanceof Filter.Or or) {
                left.push(or.left());
                left.push(or.right());
            } else {
                operands++;
                deepest = Math.max(deepest, of(part));
            }
        }
        return deepest + levels(operands);
    }

    /** The depth of a balanced tree with this number of leaves. */
    private static int levels(int operands) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(operands - 1);
    }
}
