package cleave.server.policy;

import cleave.model.Key;
import cleave.wire.HotPartition;
import org.jspecify.annotations.Nullable;

/**
 * Finds the partition with the highest load among any number of them, in little memory, by the space-saving algorithm.
 * Confined to the range's loop.
 *
 * <p>A partition that was displaced comes back with the count of the one that it displaces, so counts are too high by up to that much. Only
 * the part that is certain is reported. A partition with more than an eighth of all is never missed.
 */
final class HotPartitions {
    private static final int PLACES = 8;

    private final Place[] places = new Place[PLACES];
    private int taken;
    private double total;

    private static final class Place {
        private Key partition;
        private double count;
        /** The part of the count that may belong to others. */
        private double doubtful;

        Place(Key partition) {
            this.partition = partition;
        }

        double certain() {
            return count - doubtful;
        }
    }

    /** @param partition the bound before it */
    void add(Key partition, double weight) {
        total += weight;
        place(partition).count += weight;
    }

    private Place place(Key partition) {
        Place least = null;
        for (int i = 0; i < taken; i++) {
            Place place = places[i];
            if (place.partition.equals(partition)) {
                return place;
            }
            least = least == null || place.count < least.count ? place : least;
        }
        if (taken < PLACES || least == null) {
            Place free = new Place(partition);
            places[taken++] = free;
            return free;
        }
        least.partition = partition;
        least.doubtful = least.count;
        return least;
    }

    /** Null while nothing was added. */
    @Nullable
    HotPartition hottest(int samples) {
        Place hottest = null;
        for (int i = 0; i < taken; i++) {
            hottest = hottest == null || places[i].certain() > hottest.certain() ? places[i] : hottest;
        }
        return hottest == null
                ? null
                : HotPartition.newBuilder()
                        .setFirst(hottest.partition.toWire())
                        .setPart(hottest.certain() / total)
                        .setSamples(samples)
                        .build();
    }
}
