package cleave.master.policy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Divides a load at bounds that are known by the share of it that lies to their left. Stateless. */
final class Division {
    private Division() {}

    /** Each bound was sampled by different requests, so the share to the left of one may exceed that of the next. */
    static List<Load.Candidate> ascending(Collection<Load.Candidate> byKey) {
        List<Load.Candidate> ascending = new ArrayList<>();
        double left = 0;
        for (Load.Candidate each : byKey) {
            left = Math.max(left, each.left());
            ascending.add(new Load.Candidate(each.at(), left, each.spanning(), each.hits()));
        }
        return ascending;
    }

    /**
     * The bounds that divide the load most evenly (by the sum of the squares) into at most that many parts, none of which has less
     * than a share of it.
     */
    static List<Load.Candidate> divide(List<Load.Candidate> usable, int parts, double least) {
        int end = usable.size() + 1;
        double[] at = new double[end + 1];
        for (int i = 1; i < end; i++) {
            at[i] = usable.get(i - 1).left();
        }
        at[end] = 1;
        double[][] squares = new double[parts + 1][end + 1];
        int[][] before = new int[parts + 1][end + 1];
        for (double[] row : squares) {
            Arrays.fill(row, Double.POSITIVE_INFINITY);
        }
        squares[0][0] = 0;
        int best = 1;
        for (int part = 1; part <= parts; part++) {
            for (int i = 1; i <= end; i++) {
                for (int from = 0; from < i; from++) {
                    double size = at[i] - at[from];
                    double sum = squares[part - 1][from] + size * size;
                    if (size >= least && sum < squares[part][i]) {
                        squares[part][i] = sum;
                        before[part][i] = from;
                    }
                }
            }
            best = squares[part][end] < squares[best][end] ? part : best;
        }
        ArrayDeque<Load.Candidate> cuts = new ArrayDeque<>();
        int i = end;
        for (int part = best; part > 1; part--) {
            i = before[part][i];
            cuts.addFirst(usable.get(i - 1));
        }
        return List.copyOf(cuts);
    }

    private static double largest(List<Load.Candidate> cuts) {
        double from = 0;
        double largest = 0;
        for (Load.Candidate cut : cuts) {
            largest = Math.max(largest, cut.left() - from);
            from = cut.left();
        }
        return Math.max(largest, 1 - from);
    }

    /** By how much the largest part exceeds the others together, as a share of all. */
    static double imbalance(List<Load.Candidate> cuts) {
        return 2 * largest(cuts) - 1;
    }
}
