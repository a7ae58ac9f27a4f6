package cleave.deploy.demo;

import java.util.ArrayList;
import java.util.List;

/** Chooses the bounds at which to split a data set into ranges. Pure. */
final class Splitting {
    private Splitting() {}

    /**
     * The PartitionKeys that begin a new range, so that ranges hold about equal numbers of cities. Their number is one
     * less than the number of ranges or of partitions, whichever is smaller.
     */
    static List<String> keys(List<City> cities, int ranges) {
        List<Integer> starts = partitionStarts(cities);
        int cuts = Math.min(ranges, starts.size()) - 1;
        List<String> keys = new ArrayList<>();
        int from = 1;
        for (int cut = 1; cut <= cuts; cut++) {
            int end = starts.size() - (cuts - cut); // Leaves a partition for each cut that follows.
            int chosen = nearest(starts, from, end, (long) cities.size() * cut / (cuts + 1));
            keys.add(cities.get(starts.get(chosen)).country());
            from = chosen + 1;
        }
        return keys;
    }

    private static int nearest(List<Integer> starts, int from, int end, long wanted) {
        int nearest = from;
        for (int i = from; i < end; i++) {
            if (Math.abs(starts.get(i) - wanted) < Math.abs(starts.get(nearest) - wanted)) {
                nearest = i;
            }
        }
        return nearest;
    }

    private static List<Integer> partitionStarts(List<City> cities) {
        List<Integer> starts = new ArrayList<>();
        for (int i = 0; i < cities.size(); i++) {
            if (i == 0 || !cities.get(i).country().equals(cities.get(i - 1).country())) {
                starts.add(i);
            }
        }
        return starts;
    }
}
