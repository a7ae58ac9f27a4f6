package cleave.frontend.protocol.odata;

import cleave.model.entity.Filter;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How deep a filter is nested as it travels, where chains of one connective are balanced however they were put together: clients
 * build {@code (((a or b) or c) or d)}, which is a chain and not deep.
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

    /** Of a balanced tree over so many leaves. */
    private static int levels(int operands) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(operands - 1);
    }
}
