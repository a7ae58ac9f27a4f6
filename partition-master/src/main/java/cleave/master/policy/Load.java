package cleave.master.policy;

import cleave.model.Key;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The load of a range as measured by its owner. Immutable.
 *
 * @param entities per second, written, read and scanned, averaged over about a second
 * @param entities30s the same with a half-life of 30 s
 * @param bytes size of its entities
 * @param middle the bound that halves the bytes; null if its owner does not know its size yet
 * @param candidates bounds at which it could be split, ascending; not copied, so they must not change
 * @param hottest the partition with the most samples; null if not known
 * @param end where its inserts go; null if not known
 */
public record Load(
        double entities,
        double entities30s,
        long bytes,
        @Nullable Middle middle,
        List<Candidate> candidates,
        @Nullable Hottest hottest,
        @Nullable End end) {
    public static final Load NONE = new Load(0, 0, 0, null, List.of(), null, null);

    /**
     * @param at the bound that comes nearest to halving the bytes; null if there is none inside
     * @param left share of the bytes below it
     */
    public record Middle(@Nullable Key at, double left) {}

    /**
     * @param left share of the sampled load below the bound
     * @param spanning share of the load by requests that a split there would divide
     * @param hits requests seen
     */
    public record Candidate(Key at, double left, double spanning, int hits) {}

    /**
     * @param first the bound before it
     * @param part of all samples
     */
    public record Hottest(Key first, double part, int samples) {}

    /**
     * @param behind share of the inserts that go beyond the last key
     * @param before share of the inserts that go below the first key
     * @param first bound before the partition of the first key inserted
     * @param last bound before the partition of the last key inserted
     */
    public record End(double behind, double before, Key first, Key last) {}
}
