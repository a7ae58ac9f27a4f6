package cleave.board.axis;

/** Joins neighbouring buckets into groups, those with little load first. Pure. */
public final class Joining {
    /** The part of the mean load that each bucket counts as if it had it, so that idle keys are not all joined into one. */
    private static final double PART_OF_MEAN = 1.0 / 8;

    private static final int STEPS = 40;

    private Joining() {}

    /**
     * The group of each bucket, from 0 on. A bucket begins a group if it must, or if the group before it would have too much load together
     * with it.
     *
     * @param loads of the buckets
     * @param mustBegin buckets that begin a group, as far as that leaves no more than {@code max}
     * @param joinedUpTo load up to which buckets are joined even if there are few
     */
    public static int[] groups(double[] loads, boolean[] mustBegin, double joinedUpTo, int max) {
        double[] weights = weights(loads);
        boolean[] begins = count(mustBegin) < max ? mustBegin : new boolean[loads.length];
        double least = joinedUpTo;
        int[] groups = groups(weights, begins, least);
        if (size(groups) <= max) {
            return groups;
        }
        double most = sum(weights);
        groups = groups(weights, begins, most);
        for (int step = 0; step < STEPS; step++) {
            double middle = least + (most - least) / 2;
            int[] tried = groups(weights, begins, middle);
            if (size(tried) <= max) {
                groups = tried;
                most = middle;
            } else {
                least = middle;
            }
        }
        return groups;
    }

    private static double[] weights(double[] loads) {
        double sum = sum(loads);
        double each = sum > 0 ? sum / loads.length * PART_OF_MEAN : 1;
        double[] weights = new double[loads.length];
        for (int i = 0; i < loads.length; i++) {
            weights[i] = loads[i] + each;
        }
        return weights;
    }

    private static int[] groups(double[] weights, boolean[] begins, double most) {
        int[] groups = new int[weights.length];
        int group = 0;
        double carried = 0;
        for (int i = 0; i < weights.length; i++) {
            boolean opens = i > 0 && (begins[i] || carried + weights[i] > most);
            group += opens ? 1 : 0;
            carried = opens ? weights[i] : carried + weights[i];
            groups[i] = group;
        }
        return groups;
    }

    /** How many groups these are. */
    public static int size(int[] groups) {
        return groups.length == 0 ? 0 : groups[groups.length - 1] + 1;
    }

    private static int count(boolean[] flags) {
        int count = 0;
        for (boolean flag : flags) {
            count += flag ? 1 : 0;
        }
        return count;
    }

    private static double sum(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum;
    }
}
