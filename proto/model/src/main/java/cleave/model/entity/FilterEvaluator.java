package cleave.model.entity;

import cleave.model.Damaged;
import cleave.model.Key;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * A filter made ready to run on stored bytes. Immutable.
 *
 * <p>Its meaning is that of the Table service:
 *
 * <ul>
 *   <li>every comparison with a missing property is false, also {@code ne};
 *   <li>with a property of another type {@code eq}, {@code gt} and {@code ge} are false, {@code ne}, {@code lt} and
 *       {@code le} true; but an Int32 literal compares with an Int64 property, and an Int32 or Int64 literal with a Double
 *       property, as numbers (the latter as doubles): widening goes toward the property only;
 *   <li>texts compare as UTF-16 units, PartitionKey and RowKey as bytes, as everywhere in the key space; Binary as unsigned
 *       bytes, Guid as its text, false before true;
 *   <li>with a NaN on either side only {@code ne} is true.
 * </ul>
 *
 * <p>The connectives are gone from the compiled form: each comparison knows which one comes next when it holds and when it
 * does not. So running it needs no stack and allocates nothing, however the filter is nested; compiling needs no call stack
 * either.
 */
public final class FilterEvaluator {
    private static final int ACCEPT = -1;
    private static final int REJECT = -2;
    /** While compiling: go on at the comparison that was compiled last. */
    private static final int LAST = -3;

    private final Comparison[] comparisons;
    private final int[] whenTrue;
    private final int[] whenFalse;

    private FilterEvaluator(List<Comparison> comparisons, int[] whenTrue, int[] whenFalse) {
        this.comparisons = comparisons.toArray(new Comparison[0]);
        this.whenTrue = Arrays.copyOf(whenTrue, comparisons.size());
        this.whenFalse = Arrays.copyOf(whenFalse, comparisons.size());
    }

    /** For one entity; for many, keep what {@link #of} gives. */
    public static boolean matches(Filter filter, Key key, byte[] entity) {
        return of(filter).matches(key, entity);
    }

    /** {@link Damaged} if the bytes are no entity as far as the filter looks. */
    public boolean matches(Key key, byte[] entity) {
        int at = comparisons.length - 1;
        while (at >= 0) {
            at = comparisons[at].holds(key, entity) ? whenTrue[at] : whenFalse[at];
        }
        return at == ACCEPT;
    }

    private record Task(Filter filter, int whenTrue, int whenFalse) {}

    /** Compiles from the last comparison to the first, so that where each goes on is known when it is reached. */
    public static FilterEvaluator of(Filter filter) {
        List<Comparison> comparisons = new ArrayList<>();
        int[] whenTrue = new int[8];
        int[] whenFalse = new int[8];
        Deque<Task> tasks = new ArrayDeque<>();
        tasks.push(new Task(filter, ACCEPT, REJECT));
        while (!tasks.isEmpty()) {
            Task task = tasks.pop();
            int last = comparisons.size() - 1;
            int yes = task.whenTrue == LAST ? last : task.whenTrue;
            int no = task.whenFalse == LAST ? last : task.whenFalse;
            if (task.filter instanceof Filter.And and) {
                tasks.push(new Task(and.left(), LAST, no));
                tasks.push(new Task(and.right(), yes, no));
            } else if (task.filter instanceof Filter.Or or) {
                tasks.push(new Task(or.left(), yes, LAST));
                tasks.push(new Task(or.right(), yes, no));
            } else if (task.filter instanceof Filter.Not not) {
                tasks.push(new Task(not.operand(), no, yes));
            } else {
                if (comparisons.size() == whenTrue.length) {
                    whenTrue = Arrays.copyOf(whenTrue, 2 * whenTrue.length);
                    whenFalse = Arrays.copyOf(whenFalse, 2 * whenFalse.length);
                }
                whenTrue[comparisons.size()] = yes;
                whenFalse[comparisons.size()] = no;
                comparisons.add(comparison(task.filter));
            }
        }
        return new FilterEvaluator(comparisons, whenTrue, whenFalse);
    }

    private static Comparison comparison(Filter leaf) {
        if (leaf instanceof Filter.Compare compare) {
            return new Comparison(compare.property(), compare.operator(), compare.literal());
        }
        if (leaf instanceof Filter.Flag flag) {
            return new Comparison(flag.property(), Filter.Operator.EQ, new Literal(EdmType.BOOLEAN, true));
        }
        if (leaf instanceof Filter.Constant) {
            throw new IllegalArgumentException("a constant filter is evaluated without entities");
        }
        throw new AssertionError("unhandled filter " + leaf);
    }
}
