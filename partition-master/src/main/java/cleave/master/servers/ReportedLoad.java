package cleave.master.servers;

import cleave.master.policy.Load;
import cleave.model.Key;
import cleave.wire.HeartbeatRequest;
import cleave.wire.RangeLoad;
import cleave.wire.SplitCandidate;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The load of a range as its owner has reported it. Immutable. There may be a million of them, of which a few are looked at closely: the
 * balancer asks for the bounds of a hot range, and a board for whole loads. So the message is kept as bytes, which take a third of it.
 *
 * <p>Invariant I10: an impossible figure (not a number, negative, or too large) is replaced by the nearest possible
 * one, so that one server cannot spoil a sum over all servers.
 */
public final class ReportedLoad implements Load {
    /** A billion entities per second, the largest possible threshold. */
    private static final double RATE_MAX = 1e9;

    /** More than servers report. */
    private static final int CANDIDATES_MAX = 64;

    /** More than a range holds. */
    static final long BYTES_MAX = 1L << 50;

    private final long range;
    private final long epoch;
    private final double entities;
    private final double entities30s;
    private final long bytes;
    private final boolean isSizeKnown;
    private final List<String> damagedFiles;
    private final byte[] wire;

    private ReportedLoad(RangeLoad load) {
        range = load.getRange();
        epoch = load.getEpoch();
        entities = within(RATE_MAX, load.getEntitiesPerSecond());
        entities30s = within(RATE_MAX, load.getEntitiesPerSecond30S());
        bytes = load.getBytes() < 0 ? BYTES_MAX : Math.min(BYTES_MAX, load.getBytes());
        isSizeKnown = load.hasMiddle();
        damagedFiles = List.copyOf(load.getDamagedFilesList());
        wire = load.toByteArray();
    }

    /** All that a heartbeat reports. */
    public static List<ReportedLoad> of(HeartbeatRequest heartbeat) {
        return heartbeat.getRangesList().stream().map(ReportedLoad::new).toList();
    }

    public long range() {
        return range;
    }

    /** That of the row under which the range is served. */
    public long epoch() {
        return epoch;
    }

    /** As it was reported, read anew at each call. */
    public RangeLoad wire() {
        try {
            return RangeLoad.parseFrom(wire);
        } catch (InvalidProtocolBufferException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public double entities() {
        return entities;
    }

    @Override
    public double entities30s() {
        return entities30s;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public boolean isSizeKnown() {
        return isSizeKnown;
    }

    /** Paths of its checkpoints' files that the DFS holds damaged. */
    public List<String> damagedFiles() {
        return damagedFiles;
    }

    @Override
    public @Nullable Middle middle() {
        if (!isSizeKnown) {
            return null;
        }
        cleave.wire.Middle middle = wire().getMiddle();
        Key at = Key.fromWire(middle.getAt());
        return new Middle(at.equals(Key.MIN) ? null : at, within(1, middle.getLeft()));
    }

    @Override
    public List<Candidate> candidates() {
        RangeLoad load = wire();
        List<Candidate> candidates = new ArrayList<>();
        for (int i = 0; i < Math.min(CANDIDATES_MAX, load.getCandidatesCount()); i++) {
            SplitCandidate each = load.getCandidates(i);
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
        RangeLoad load = wire();
        return load.hasHottest()
                ? new Hottest(
                        Key.fromWire(load.getHottest().getFirst()),
                        within(1, load.getHottest().getPart()),
                        load.getHottest().getSamples())
                : null;
    }

    @Override
    public @Nullable End end() {
        RangeLoad load = wire();
        return load.getLastPartition().isEmpty()
                ? null
                : new End(
                        within(1, load.getInsertedBehind()),
                        within(1, load.getInsertedBefore()),
                        Key.fromWire(load.getFirstPartition()),
                        Key.fromWire(load.getLastPartition()));
    }

    static double within(double max, double reported) {
        return reported > 0 ? Math.min(max, reported) : 0; // Also where it is no number.
    }
}
