package cleave.board.axis;

import cleave.board.frame.Cut;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The buckets that several axes have in common: the key space cut wherever one of them cuts it. Pure. */
public final class CommonAxis {
    private CommonAxis() {}

    /**
     * The cuts of both, in order.
     *
     * @param hashed whether keys are hashes, so that only equal ones say how the two axes lie to each other. Between two cuts that both have, those
     *     of the second then follow where they are met
     */
    public static List<Cut> union(List<Cut> one, List<Cut> other, boolean hashed) {
        if (one.equals(other)) {
            return one;
        }
        return hashed ? unionByEquals(one, other) : unionByOrder(one, other);
    }

    private static List<Cut> unionByOrder(List<Cut> one, List<Cut> other) {
        List<Cut> union = new ArrayList<>(one.size() + other.size());
        int i = 0;
        int j = 0;
        while (i < one.size() || j < other.size()) {
            int order =
                    i == one.size() ? 1 : j == other.size() ? -1 : one.get(i).compareTo(other.get(j));
            union.add(order <= 0 ? one.get(i) : other.get(j));
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
        return union;
    }

    private static List<Cut> unionByEquals(List<Cut> one, List<Cut> other) {
        Map<Cut, Integer> places = new HashMap<>(); // Looked up, never iterated.
        for (int i = 0; i < one.size(); i++) {
            places.put(one.get(i), i);
        }
        List<Cut> union = new ArrayList<>(one.size() + other.size());
        int i = 0;
        for (Cut cut : other) {
            Integer place = places.get(cut);
            if (place == null) {
                i = addTables(union, one, i, cut.table());
                union.add(cut);
            } else if (place >= i) {
                union.addAll(one.subList(i, place + 1));
                i = place + 1;
            }
        }
        union.addAll(one.subList(i, one.size()));
        return union;
    }

    /** Tables are in order even if keys are hashes. */
    private static int addTables(List<Cut> union, List<Cut> one, int from, long before) {
        int i = from;
        while (i < one.size() && Long.compareUnsigned(one.get(i).table(), before) < 0) {
            union.add(one.get(i++));
        }
        return i;
    }

    /** For each bucket of the common axis, the bucket of an axis, all of whose cuts are common ones, that it is a part of. */
    public static int[] bucketsOf(List<Cut> common, List<Cut> axis) {
        int[] buckets = new int[common.size() + 1];
        int at = 0;
        for (int i = 1; i < buckets.length; i++) {
            if (at < axis.size() && common.get(i - 1).equals(axis.get(at))) {
                at++;
            }
            buckets[i] = at;
        }
        return buckets;
    }

    /**
     * Divides the values of buckets among the common buckets that are parts of them, in proportion to weights; evenly where all weights are 0.
     *
     * @param buckets of each common bucket the one that it is a part of, ascending
     */
    public static double[] divide(double[] values, int[] buckets, double[] weights) {
        double[] divided = new double[buckets.length];
        int from = 0;
        while (from < buckets.length) {
            int to = from;
            double sum = 0;
            while (to < buckets.length && buckets[to] == buckets[from]) {
                sum += weights[to++];
            }
            double value = values[buckets[from]];
            for (int i = from; i < to; i++) {
                divided[i] = sum > 0 ? value * weights[i] / sum : value / (to - from);
            }
            from = to;
        }
        return divided;
    }
}
