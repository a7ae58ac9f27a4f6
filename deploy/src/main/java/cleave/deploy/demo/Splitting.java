package cleave.deploy.demo;

import java.util.ArrayList;
import java.util.List;

/** Where to cut a data set into ranges. Pure. */
final class Splitting {
    private Splitting() {}

    /**
     * The PartitionKeys before which to cut, so that the ranges hold about equally many cities; a partition is never divided.
     * One fewer than the ranges asked for, or as many as there are partitions for.
     */
    static List<String> keys(List<City> cities, int ranges) {
        List<String> keys = new ArrayList<>();
        int taken = 0;
        int begunAt = 0;
        String country = cities.isEmpty() ? "" : cities.get(0).country();
        for (int i = 0; i < cities.size() && keys.size() < ranges - 1; i++) {
            String next = cities.get(i).country();
            if (next.equals(country)) {
                continue;
            }
            country = next;
            int wanted = (cities.size() - taken) / (ranges - keys.size());
            int nextEnd = endOfPartition(cities, i);
            // Cut here if that leaves this range nearer to its share than the next partition would.
            if (i - begunAt >= wanted || nextEnd - begunAt - wanted > wanted - (i - begunAt)) {
                keys.add(next);
                taken = i;
                begunAt = i;
            }
        }
        return keys;
    }

    private static int endOfPartition(List<City> cities, int at) {
        int end = at;
        while (end < cities.size() && cities.get(end).country().equals(cities.get(at).country())) {
            end++;
        }
        return end;
    }
}
