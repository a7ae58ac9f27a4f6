package cleave.chaos.sim.world;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a simulation, passed to a listener if there is one, and a digest of it that is equal for equal runs.
 *
 * <p>Texts are built only for a listener, because usually there is none.
 */
public final class Trace {
    private static final long PRIME = 0x100000001B3L;

    private final @Nullable Consumer<String> out;
    /** Only read in key order. */
    private final Map<String, Count> counts = new HashMap<>();

    private long hash = 0xCBF29CE484222325L;

    Trace(@Nullable Consumer<String> out) {
        this.out = out;
    }

    private static final class Count {
        private int times;
    }

    /** Notes an event on a node; the parts together are its text. */
    void note(long nanos, String node, String what, String... details) {
        digest(nanos, node, what);
        for (String detail : details) {
            digest(detail.hashCode());
        }
        if (out != null) {
            tell(out, nanos, node, what, String.join(" ", details));
        }
    }

    /** The same for a long text, represented by its digest, which must be equal for equal runs. */
    public void note(long nanos, String node, String what, int digest, Supplier<String> detail) {
        digest(nanos, node, what);
        digest(digest);
        if (out != null) {
            tell(out, nanos, node, what, detail.get());
        }
    }

    private void digest(long nanos, String node, String what) {
        digest(nanos);
        digest(node.hashCode());
        digest(what.hashCode());
    }

    private void digest(long part) {
        hash = (hash ^ part) * PRIME;
    }

    private static void tell(Consumer<String> out, long nanos, String node, String what, String detail) {
        long micros = nanos / 1_000;
        String fraction = String.valueOf(1_000_000 + micros % 1_000_000).substring(1);
        out.accept(micros / 1_000_000 + "." + fraction + " " + node + " " + what + " " + detail);
    }

    /** Counts an event of this kind. */
    void count(String kind) {
        counts.computeIfAbsent(kind, first -> new Count()).times++;
    }

    /** The counts by kind. */
    public SortedMap<String, Integer> counts() {
        TreeMap<String, Integer> sorted = new TreeMap<>();
        counts.forEach((kind, count) -> sorted.put(kind, count.times));
        return sorted;
    }

    public long hash() {
        return hash;
    }
}
