package cleave.master.policy;

import cleave.model.Key;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a range is asked for, as its owner measured it. Immutable.
 *
 * @param entities a second, written + read + returned by scans, over about a second
 * @param entities30s the same with a half-life of 30 s
 * @param bytes that its entities take
 * @param middle where they halve; null: its owner does not know its size yet
 * @param candidates bounds at which it could be split, ascending
 * @param hottest the partition with the most samples; null: nothing is known
 * @param end where its inserts go; null: nothing is known
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

    public Load {
        candidates = List.copyOf(candidates);
    }

    /**
     * @param at the bound that comes nearest to halving the bytes; null: there is none inside
     * @param left share of the bytes below it
     */
    public record Middle(@Nullable Key at, double left) {}

    /**
     * @param left share of the sampled load below the bound
     * @param spanning share of the load that a split there would divide within a request
     * @param hits requests seen
     */
    public record Candidate(Key at, double left, double spanning, int hits) {}

    /**
     * @param first the bound before it
     * @param part of all samples
     */
    public record Hottest(Key first, double part, int samples) {}

    /**
     * @param behind the part of the inserts that goes beyond the last key
     * @param before the part that goes below the first
     * @param first bound before the partition of the first key inserted
     * @param last bound before that of the last
     */
    public record End(double behind, double before, Key first, Key last) {}
}
