package cleave.board.axis;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.wire.RangeLoad;
import cleave.wire.SplitCandidate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * What a range's owner has sampled of where its load lies: bounds between partitions, and the part of the load below each. Immutable. The
 * parts never become less with the keys, though samples that were counted over different times may say so.
 */
public final class Bounds {
    private final List<Key> keys = new ArrayList<>();
    private final List<Double> below = new ArrayList<>();

    private Bounds() {}

    public static Bounds of(RangeLoad load) {
        Bounds bounds = new Bounds();
        double most = 0;
        for (SplitCandidate candidate : load.getCandidatesList()) {
            double all = (double) candidate.getLeft() + candidate.getRight();
            Key at = Key.fromWire(candidate.getAt());
            boolean ascends = bounds.keys.isEmpty() || at.compareTo(bounds.keys.get(bounds.keys.size() - 1)) > 0;
            if (all > 0 && ascends) {
                most = Math.max(most, candidate.getLeft() / all);
                bounds.keys.add(at);
                bounds.below.add(most);
            }
        }
        return bounds;
    }

    /** Those that were sampled, ascending. */
    public List<Key> keys() {
        return List.copyOf(keys);
    }

    public boolean isEmpty() {
        return keys.isEmpty();
    }

    /**
     * The bounds at which to divide a range: those that were sampled, and the beginnings of tables.
     *
     * @param tables of which the range may hold keys
     */
    public List<Key> inside(KeyRange range, Collection<Long> tables) {
        TreeSet<Key> inside = new TreeSet<>(keys);
        keys.forEach(key -> inside.add(Key.beforeTable(key.table())));
        tables.forEach(table -> inside.add(Key.beforeTable(table)));
        inside.remove(Key.beforeTable(0)); // The key space begins with table 0.
        Key end = range.end();
        inside.removeIf(key -> key.compareTo(range.start()) <= 0 || (end != null && key.compareTo(end) >= 0));
        return List.copyOf(inside);
    }

    /** The part of the load below a key: sampled, or the mean of those that were sampled beside it. */
    public double below(Key key) {
        int place = 0;
        while (place < keys.size() && keys.get(place).compareTo(key) < 0) {
            place++;
        }
        if (place < keys.size() && keys.get(place).equals(key)) {
            return below.get(place);
        }
        double lower = place == 0 ? 0 : below.get(place - 1);
        double upper = place == keys.size() ? 1 : below.get(place);
        return (lower + upper) / 2;
    }

    /** The largest part of the load between two bounds that follow each other. */
    public double largestPart(List<Key> at) {
        double largest = 0;
        double before = 0;
        for (Key key : at) {
            largest = Math.max(largest, below(key) - before);
            before = below(key);
        }
        return Math.max(largest, 1 - before);
    }
}
