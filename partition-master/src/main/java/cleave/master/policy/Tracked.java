package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Row;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A range, and what the balancer keeps of it from tick to tick. Not thread-safe: the {@link Ranges} that made it change it. */
final class Tracked {
    static final Comparator<Tracked> IN_KEY_ORDER =
            Comparator.comparing(range -> range.row.range().start());
    static final Comparator<Tracked> HEAVIEST_FIRST = Tracked::compareWeights;

    static final int NOT_IN_USE = -1;
    /** It is no longer in the map. */
    static final int GONE = -2;

    Row row;
    /** Null if its owner does not report that it serves it. */
    @Nullable
    Load load;

    /** What its owner has reported since the last tick, under the row's epoch; null if it has to be looked up. */
    @Nullable
    Load told;

    RangeHistory history;
    /** As last reported by an owner that knows its size; not in the history, which idle ranges of any size share. */
    long bytes;
    /** Its neighbours in the key space. */
    @Nullable
    Tracked before;

    @Nullable
    Tracked behind;

    /** What it weighs where it is counted. */
    double weight;

    @Nullable
    Owned countedAt;

    /** Where it is among the ranges in use of {@link #countedAt}; or {@link #NOT_IN_USE}, or {@link #GONE}. */
    int place = NOT_IN_USE;

    /** When it is to be observed though nothing happens. */
    long dueNanos = Long.MAX_VALUE;

    /** Something has happened to it since the last tick. */
    boolean hasNews;

    /** At the next tick the row, a neighbour or the settings are others, too. */
    boolean isAnew;

    /** Where the index has it. */
    boolean isWatched;

    boolean isLeftOfCold;

    Tracked(Row row, RangeHistory history) {
        this.row = row;
        this.history = history;
    }

    /** A new range that continues others. */
    static Tracked of(Row row, List<Tracked> before, int siblings, long now) {
        Tracked range = new Tracked(row, RangeHistory.of(row, before, siblings, now));
        before.forEach(old -> range.bytes += old.bytes / siblings);
        return range;
    }

    /** A tick sees it, with its load as it is now. */
    void observe(@Nullable Load now, BalancerSettings settings, Tick tick) {
        load = now;
        if (now != null && now.isSizeKnown()) {
            bytes = now.bytes();
        }
        history = history.observing(now, settings, tick);
    }

    private static int compareWeights(Tracked one, Tracked other) {
        int order = Double.compare(other.weight, one.weight);
        return order != 0 ? order : IN_KEY_ORDER.compare(one, other);
    }
}
