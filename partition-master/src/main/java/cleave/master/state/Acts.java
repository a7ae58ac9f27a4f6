package cleave.master.state;

import java.util.Collection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * The last acts of operators, by their numbers. Immutable.
 *
 * <p>Invariant I10: they are at most {@value #COUNT_MAX}, and take at most {@value #BYTES_MAX} bytes; the oldest are forgotten and counted.
 */
public final class Acts {
    public static final int COUNT_MAX = 1000;
    public static final int BYTES_MAX = 256 << 10;

    static final Acts NONE = new Acts(TreePMap.empty(), 0, 0);

    private final TreePMap<Long, Act> byNumber;
    private final int bytes;
    private final long forgotten;

    private Acts(TreePMap<Long, Act> byNumber, int bytes, long forgotten) {
        this.byNumber = byNumber;
        this.bytes = bytes;
        this.forgotten = forgotten;
    }

    static Acts of(Collection<Act> all, long forgotten) {
        Acts acts = new Acts(TreePMap.empty(), 0, forgotten);
        for (Act each : all) {
            acts = acts.plus(each);
        }
        return acts;
    }

    /** The oldest first. */
    public Collection<Act> all() {
        return byNumber.values();
    }

    /** The number of those that are not here any more. */
    public long forgotten() {
        return forgotten;
    }

    Acts plus(Act act) {
        return new Acts(byNumber.plus(act.number(), act), bytes + act.bytes(), forgotten).bounded();
    }

    /** The act has ended so; nothing changes if it has an outcome, or was forgotten. */
    Acts ended(long number, String outcome) {
        Act act = byNumber.get(number);
        if (act == null || !act.outcome().isEmpty()) {
            return this;
        }
        Act ended = act.ended(outcome);
        return new Acts(byNumber.plus(number, ended), bytes + ended.bytes() - act.bytes(), forgotten).bounded();
    }

    private Acts bounded() {
        TreePMap<Long, Act> left = byNumber;
        int size = bytes;
        while (left.size() > COUNT_MAX || size > BYTES_MAX) {
            Act oldest = Objects.requireNonNull(left.get(left.firstKey()));
            left = left.minus(oldest.number());
            size -= oldest.bytes();
        }
        return left.size() == byNumber.size() ? this : new Acts(left, size, forgotten + byNumber.size() - left.size());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Acts acts && forgotten == acts.forgotten && byNumber.equals(acts.byNumber);
    }

    @Override
    public int hashCode() {
        return Objects.hash(byNumber, forgotten);
    }

    @Override
    public String toString() {
        return byNumber.values() + " after " + forgotten;
    }
}
