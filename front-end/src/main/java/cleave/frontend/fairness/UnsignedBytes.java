package cleave.frontend.fairness;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a loop buffers for peers that have not been authenticated, and which peer to disconnect when they exceed the limit.
 * Confined to its loop.
 *
 * <p>The peer that holds most is disconnected first, up to a factor of two; of several, the one that has held as much for longest. So a
 * peer that holds less than half of an equal share is never disconnected.
 */
public final class UnsignedBytes<P> {
    private static final int CLASSES = 64;

    private final long max;
    private final Map<P, Long> held = new HashMap<>();
    /** Peers by the bit length of the bytes that they hold. */
    private final Set<P>[] classes;

    private long total;

    @SuppressWarnings({"unchecked", "rawtypes"})
    public UnsignedBytes(long max) {
        this.max = max;
        this.classes = new Set[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            classes[i] = new LinkedHashSet<>();
        }
    }

    /** Sets how many bytes a peer holds. */
    public void holds(P peer, long bytes) {
        Long before = bytes == 0 ? held.remove(peer) : held.put(peer, bytes);
        long known = before == null ? 0 : before;
        total += bytes - known;
        if (sizeClass(known) != sizeClass(bytes)) {
            if (known > 0) {
                classes[sizeClass(known)].remove(peer);
            }
            if (bytes > 0) {
                classes[sizeClass(bytes)].add(peer);
            }
        }
    }

    private static int sizeClass(long bytes) {
        return CLASSES - Long.numberOfLeadingZeros(bytes);
    }

    /** The peer to disconnect; null if the total is within its limit. */
    public @Nullable P excess() {
        if (total > max) {
            for (int i = CLASSES - 1; i > 0; i--) {
                for (P peer : classes[i]) {
                    return peer;
                }
            }
        }
        return null;
    }

    public long total() {
        return total;
    }
}
