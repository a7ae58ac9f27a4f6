package cleave.chaos.sim;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What happened, told to whoever listens, and digested into a number that is equal for equal runs. Confined to the simulation.
 */
final class Trace {
    private static final long PRIME = 0x100000001B3L;

    private final @Nullable Consumer<String> out;
    private final TreeMap<String, Integer> counts = new TreeMap<>();
    private long hash = 0xCBF29CE484222325L;

    Trace(@Nullable Consumer<String> out) {
        this.out = out;
    }

    /** Something happened on a node. The parts together say what, for people. */
    void note(long nanos, String node, String what, String detail) {
        hash = (hash ^ nanos) * PRIME;
        hash = (hash ^ node.hashCode()) * PRIME;
        hash = (hash ^ what.hashCode()) * PRIME;
        hash = (hash ^ detail.hashCode()) * PRIME;
        if (out != null) {
            long micros = nanos / 1_000;
            String fraction = String.valueOf(1_000_000 + micros % 1_000_000).substring(1);
            out.accept(micros / 1_000_000 + "." + fraction + " " + node + " " + what + " " + detail);
        }
    }

    /** One more of a kind of event. */
    void count(String kind) {
        counts.merge(kind, 1, Integer::sum);
    }

    /** By kind. */
    SortedMap<String, Integer> counts() {
        return counts;
    }

    long hash() {
        return hash;
    }
}
