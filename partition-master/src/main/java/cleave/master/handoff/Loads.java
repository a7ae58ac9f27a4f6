package cleave.master.handoff;

import cleave.master.policy.Load;
import cleave.model.Key;
import cleave.wire.RangeLoad;
import cleave.wire.SplitCandidate;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the loads of ranges that servers report. Stateless.
 *
 * <p>Invariant I10: an impossible figure (not a number, negative, or too large) is replaced by the nearest possible
 * one, so that one server cannot spoil a sum over all servers.
 */
final class Loads {
    /** A billion entities per second, the largest possible threshold. */
    private static final double RATE_MAX = 1e9;

    /** More than servers report. */
    private static final int CANDIDATES_MAX = 64;

    private static final long BYTES_MAX = 1L << 50;

    private Loads() {}

    static Load of(RangeLoad wire) {
        return new Load(
                within(RATE_MAX, wire.getEntitiesPerSecond()),
                within(RATE_MAX, wire.getEntitiesPerSecond30S()),
                wire.getBytes() < 0 ? BYTES_MAX : Math.min(BYTES_MAX, wire.getBytes()),
                middle(wire),
                new Candidates(wire),
                hottest(wire),
                end(wire));
    }

    /** The bounds of a report, read when someone asks: the balancer only asks for those of a hot range. */
    private static final class Candidates extends AbstractList<Load.Candidate> {
        private final RangeLoad wire;
        private @Nullable List<Load.Candidate> read;

        Candidates(RangeLoad wire) {
            this.wire = wire;
        }

        @Override
        public Load.Candidate get(int index) {
            return all().get(index);
        }

        @Override
        public int size() {
            return all().size();
        }

        private List<Load.Candidate> all() {
            List<Load.Candidate> known = read;
            if (known == null) {
                known = candidates(wire);
                read = known;
            }
            return known;
        }
    }

    private static List<Load.Candidate> candidates(RangeLoad wire) {
        List<Load.Candidate> candidates = new ArrayList<>();
        for (int i = 0; i < Math.min(CANDIDATES_MAX, wire.getCandidatesCount()); i++) {
            SplitCandidate each = wire.getCandidates(i);
            double left = Integer.toUnsignedLong(each.getLeft());
            double all = left + Integer.toUnsignedLong(each.getRight());
            if (all > 0) {
                Key at = Key.fromWire(each.getAt());
                double spanning = Integer.toUnsignedLong(each.getSpanning()) / all;
                candidates.add(new Load.Candidate(at, left / all, spanning, Math.max(0, each.getHits())));
            }
        }
        return candidates;
    }

    private static double within(double max, double reported) {
        return reported > 0 ? Math.min(max, reported) : 0; // Also where it is no number.
    }

    private static Load.@Nullable Middle middle(RangeLoad wire) {
        if (!wire.hasMiddle()) {
            return null;
        }
        Key at = Key.fromWire(wire.getMiddle().getAt());
        return new Load.Middle(
                at.equals(Key.MIN) ? null : at, within(1, wire.getMiddle().getLeft()));
    }

    private static Load.@Nullable Hottest hottest(RangeLoad wire) {
        return wire.hasHottest()
                ? new Load.Hottest(
                        Key.fromWire(wire.getHottest().getFirst()),
                        within(1, wire.getHottest().getPart()),
                        wire.getHottest().getSamples())
                : null;
    }

    private static Load.@Nullable End end(RangeLoad wire) {
        return wire.getLastPartition().isEmpty()
                ? null
                : new Load.End(
                        within(1, wire.getInsertedBehind()),
                        within(1, wire.getInsertedBefore()),
                        Key.fromWire(wire.getFirstPartition()),
                        Key.fromWire(wire.getLastPartition()));
    }
}
