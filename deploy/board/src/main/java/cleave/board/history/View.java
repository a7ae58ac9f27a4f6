package cleave.board.history;

import cleave.board.axis.CommonAxis;
import cleave.board.axis.Joining;
import cleave.board.frame.Axis.Table;
import cleave.board.frame.Cut;
import cleave.board.frame.Frame;
import cleave.board.frame.Measure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A map of one measure: the key space over time, on one axis for all columns. Immutable.
 *
 * <p>What is known later of a bucket is spread backwards: if a column does not tell parts of the key space apart that later columns tell apart, its
 * value is divided as theirs are. So a hot spot is seen where it was, before anybody knew.
 *
 * @param n of the newest frame
 * @param cuts the lower bounds of the rows, but for the first
 * @param columns oldest first
 * @param heights of the rows, by the distance of their keys, together 1; none: all are equal
 */
public record View(long n, List<Table> tables, List<Cut> cuts, List<Column> columns, List<Double> heights) {
    /** Distinct cuts of all frames beyond this number are not told apart; those of older frames go first. */
    private static final int CUTS_MAX = 16_384;

    /** What a moment, or the time that a folded frame covers, was like. Immutable, if its values are left alone. */
    public static final class Column {
        private final long t;
        private final long span;
        private final double @Nullable [] values;

        Column(long t, long span, double @Nullable [] values) {
            this.t = t;
            this.span = span;
            this.values = values;
        }

        /** Its end, milliseconds since 1970. */
        public long t() {
            return t;
        }

        public long span() {
            return span;
        }

        /** Those of the rows; null: nothing is known. */
        public double @Nullable [] values() {
            return values;
        }
    }

    /**
     * What is to be seen.
     *
     * @param table null: all of them
     * @param resolutionMillis frames that cover less are folded
     * @param max most rows
     */
    public record Query(
            Measure measure, Rows rows, @Nullable Long table, long resolutionMillis, int max) {}

    /** @param frames oldest first */
    public static View of(List<Frame> frames, Query query, boolean hashed) {
        return new Making(folded(frames, query.resolutionMillis(), hashed), query, hashed).view();
    }

    private static List<Frame> folded(List<Frame> frames, long resolution, boolean hashed) {
        List<Frame> columns = new ArrayList<>();
        Fold fold = new Fold(hashed);
        for (Frame frame : frames) {
            if (!fold.isEmpty()
                    && Math.floorDiv(fold.end() - 1, resolution) != Math.floorDiv(frame.t() - 1, resolution)) {
                columns.add(fold.result());
                fold = new Fold(hashed);
            }
            fold.add(frame);
        }
        if (!fold.isEmpty()) {
            columns.add(fold.result());
        }
        return columns;
    }

    private static final class Making {
        private final List<Frame> frames;
        private final Query query;
        private final List<Cut> common;

        Making(List<Frame> frames, Query query, boolean hashed) {
            this.frames = frames;
            this.query = query;
            this.common = common(frames, hashed);
        }

        private static List<Cut> common(List<Frame> frames, boolean hashed) {
            Set<List<Cut>> axes = new LinkedHashSet<>();
            for (int i = frames.size() - 1; i >= 0; i--) {
                axes.add(frames.get(i).axis().cuts());
            }
            List<Cut> common = List.of();
            for (List<Cut> cuts : axes) {
                List<Cut> more = CommonAxis.union(common, cuts, hashed);
                if (more.size() > CUTS_MAX) {
                    return common;
                }
                common = more;
            }
            return common;
        }

        View view() {
            double[][] spread = spread();
            int[] seen = seen();
            int[] groups = groups(spread, seen);
            List<Cut> cuts = new ArrayList<>();
            for (int i = 1; i < seen.length; i++) {
                if (groups[i] != groups[i - 1]) {
                    cuts.add(common.get(seen[i] - 1));
                }
            }
            List<Column> columns = new ArrayList<>();
            for (int i = 0; i < frames.size(); i++) {
                Frame frame = frames.get(i);
                double[] values = spread[i] == null ? null : joined(of(seen, spread[i]), groups);
                columns.add(new Column(frame.t(), frame.span(), values));
            }
            return new View(
                    frames.isEmpty() ? 0 : frames.get(frames.size() - 1).n(),
                    List.copyOf(tables()),
                    cuts,
                    columns,
                    query.rows() == Rows.WIDTH ? Widths.of(cuts, query.table()) : List.of());
        }

        /** The values of each frame on the common axis, later knowledge spread backwards; null of one of which nothing is known. */
        private double[][] spread() {
            double[][] spread = new double[frames.size()][];
            Set<Cut> known = new HashSet<>(common); // Asked, never iterated.
            double[] weights = new double[common.size() + 1];
            for (int i = frames.size() - 1; i >= 0; i--) {
                Frame frame = frames.get(i);
                if (frame.cells().buckets() > 0) { // None if it is stale, or a cluster had no range yet.
                    List<Cut> cuts = frame.axis().cuts();
                    List<Cut> kept = cuts.stream().filter(known::contains).toList();
                    double[] values = joined(values(frame), CommonAxis.bucketsOf(cuts, kept));
                    int[] buckets = CommonAxis.bucketsOf(common, kept);
                    spread[i] = query.measure().isAdditive()
                            ? CommonAxis.divide(values, buckets, weights)
                            : repeated(values, buckets);
                    keepWeights(weights, spread[i], buckets);
                }
            }
            return spread;
        }

        private double[] values(Frame frame) {
            double[] values = new double[frame.cells().buckets()];
            for (int bucket = 0; bucket < values.length; bucket++) {
                values[bucket] = frame.cells().value(query.measure(), bucket);
            }
            return values;
        }

        private static double[] repeated(double[] values, int[] buckets) {
            double[] repeated = new double[buckets.length];
            for (int i = 0; i < buckets.length; i++) {
                repeated[i] = values[buckets[i]];
            }
            return repeated;
        }

        /** An idle bucket teaches nothing about its parts. */
        private static void keepWeights(double[] weights, double[] values, int[] buckets) {
            for (int i = 0; i < weights.length; i++) {
                boolean isPart = (i > 0 && buckets[i - 1] == buckets[i])
                        || (i + 1 < buckets.length && buckets[i + 1] == buckets[i]);
                if (!isPart || values[i] > 0) {
                    weights[i] = values[i];
                }
            }
        }

        /** The common buckets that are asked for. */
        private int[] seen() {
            Long table = query.table();
            List<Integer> seen = new ArrayList<>();
            for (int i = 0; i <= common.size(); i++) {
                if (table == null || isOf(table, i)) {
                    seen.add(i);
                }
            }
            return seen.stream().mapToInt(Integer::intValue).toArray();
        }

        private boolean isOf(long table, int bucket) {
            long first = bucket == 0 ? 0 : common.get(bucket - 1).table();
            if (Long.compareUnsigned(first, table) > 0) {
                return false;
            }
            if (bucket == common.size()) {
                return true;
            }
            Cut end = common.get(bucket);
            int order = Long.compareUnsigned(end.table(), table);
            return order > 0 || (order == 0 && !end.key().isEmpty());
        }

        private int[] groups(double[][] spread, int[] seen) {
            double[] loads = new double[seen.length];
            double sum = 0;
            for (int i = 0; i < frames.size(); i++) {
                for (int j = 0; j < seen.length && spread[i] != null; j++) {
                    loads[j] += spread[i][seen[j]] * frames.get(i).span();
                    sum += spread[i][seen[j]] * frames.get(i).span();
                }
            }
            boolean[] begins = new boolean[seen.length];
            for (int j = 1; j < seen.length; j++) {
                begins[j] = tableOf(seen[j]) != tableOf(seen[j - 1]);
            }
            boolean isByLoad = query.rows() == Rows.EQUAL_LOAD && sum > 0;
            return isByLoad
                    ? Joining.groups(loads, begins, sum / seen.length, query.max())
                    : Joining.groups(new double[seen.length], begins, 1, query.max());
        }

        private long tableOf(int bucket) {
            return bucket == 0 ? 0 : common.get(bucket - 1).table();
        }

        private static double[] of(int[] seen, double[] values) {
            double[] chosen = new double[seen.length];
            for (int i = 0; i < seen.length; i++) {
                chosen[i] = values[seen[i]];
            }
            return chosen;
        }

        /** The values of groups of buckets. */
        private double[] joined(double[] values, int[] groups) {
            double[] joined = new double[Joining.size(groups)];
            for (int i = 0; i < groups.length; i++) {
                double value = values[i];
                joined[groups[i]] =
                        query.measure().isAdditive() ? joined[groups[i]] + value : Math.max(joined[groups[i]], value);
            }
            return joined;
        }

        /** Those of all frames; of each the newest name. */
        private Collection<Table> tables() {
            TreeMap<Long, Table> tables = new TreeMap<>(Long::compareUnsigned);
            frames.forEach(frame -> frame.axis().tables().forEach(table -> tables.put(table.id(), table)));
            return tables.values();
        }
    }
}
