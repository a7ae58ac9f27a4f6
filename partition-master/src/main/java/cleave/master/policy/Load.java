package cleave.master.policy;

import cleave.model.Key;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The load of a range as measured by its owner. Immutable. */
public interface Load {
    /** Per second, written, read and scanned, averaged over about a second. */
    double entities();

    /** The same with a half-life of 30 s. */
    double entities30s();

    /** Size of its entities. */
    long bytes();

    /** False if its owner does not know its size yet. */
    boolean isSizeKnown();

    /** The bound that halves the bytes; null if its owner does not know its size yet. */
    @Nullable
    Middle middle();

    /** Bounds at which it could be split, ascending. */
    List<Candidate> candidates();

    /** The partition with the most samples; null if not known. */
    @Nullable
    Hottest hottest();

    /** Where its inserts go; null if not known. */
    @Nullable
    End end();

    /**
     * @param at the bound that comes nearest to halving the bytes; null if there is none inside
     * @param left share of the bytes below it
     */
    record Middle(@Nullable Key at, double left) {}

    /**
     * @param left share of the sampled load below the bound
     * @param spanning share of the load by requests that a split there would divide
     * @param hits requests seen
     */
    record Candidate(Key at, double left, double spanning, int hits) {}

    /**
     * @param first the bound before it
     * @param part of all samples
     */
    record Hottest(Key first, double part, int samples) {}

    /**
     * @param behind share of the inserts that go beyond the last key
     * @param before share of the inserts that go below the first key
     * @param first bound before the partition of the first key inserted
     * @param last bound before the partition of the last key inserted
     */
    record End(double behind, double before, Key first, Key last) {}
}
