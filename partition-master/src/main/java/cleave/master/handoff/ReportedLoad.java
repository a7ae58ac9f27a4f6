package cleave.master.handoff;

import cleave.master.policy.Load;
import cleave.master.servers.Session;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.RangeLoad;
import cleave.wire.SplitCandidate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The load of a range as its owner has reported it, read when someone asks: the balancer only asks for the bounds of a hot range.
 * Immutable.
 *
 * <p>Invariant I10: an impossible figure (not a number, negative, or too large) is replaced by the nearest possible
 * one, so that one server cannot spoil a sum over all servers.
 */
final class ReportedLoad implements Load {
    /** A billion entities per second, the largest possible threshold. */
    private static final double RATE_MAX = 1e9;

    /** More than servers report. */
    private static final int CANDIDATES_MAX = 64;

    private static final long BYTES_MAX = 1L << 50;

    private final RangeLoad wire;

    private ReportedLoad(RangeLoad wire) {
        this.wire = wire;
    }

    /** The owner's report on a range that it serves under the row's epoch; null if there is none. */
    static @Nullable ReportedLoad of(@Nullable Session session, Row row) {
        RangeLoad load = session == null ? null : session.serving(row.id(), row.epoch());
        return load == null ? null : new ReportedLoad(load);
    }

    @Override
    public double entities() {
        return within(RATE_MAX, wire.getEntitiesPerSecond());
    }

    @Override
    public double entities30s() {
        return within(RATE_MAX, wire.getEntitiesPerSecond30S());
    }

    @Override
    public long bytes() {
        return wire.getBytes() < 0 ? BYTES_MAX : Math.min(BYTES_MAX, wire.getBytes());
    }

    @Override
    public @Nullable Middle middle() {
        if (!wire.hasMiddle()) {
            return null;
        }
        Key at = Key.fromWire(wire.getMiddle().getAt());
        return new Middle(
                at.equals(Key.MIN) ? null : at, within(1, wire.getMiddle().getLeft()));
    }

    @Override
    public List<Candidate> candidates() {
        List<Candidate> candidates = new ArrayList<>();
        for (int i = 0; i < Math.min(CANDIDATES_MAX, wire.getCandidatesCount()); i++) {
            SplitCandidate each = wire.getCandidates(i);
            double left = Integer.toUnsignedLong(each.getLeft());
            double all = left + Integer.toUnsignedLong(each.getRight());
            if (all > 0) {
                Key at = Key.fromWire(each.getAt());
                double spanning = Integer.toUnsignedLong(each.getSpanning()) / all;
                candidates.add(new Candidate(at, left / all, spanning, Math.max(0, each.getHits())));
            }
        }
        return candidates;
    }

    @Override
    public @Nullable Hottest hottest() {
        return wire.hasHottest()
                ? new Hottest(
                        Key.fromWire(wire.getHottest().getFirst()),
                        within(1, wire.getHottest().getPart()),
                        wire.getHottest().getSamples())
                : null;
    }

    @Override
    public @Nullable End end() {
        return wire.getLastPartition().isEmpty()
                ? null
                : new End(
                        within(1, wire.getInsertedBehind()),
                        within(1, wire.getInsertedBefore()),
                        Key.fromWire(wire.getFirstPartition()),
                        Key.fromWire(wire.getLastPartition()));
    }

    private static double within(double max, double reported) {
        return reported > 0 ? Math.min(max, reported) : 0; // Also where it is no number.
    }
}
