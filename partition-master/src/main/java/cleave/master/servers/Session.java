package cleave.master.servers;

import cleave.master.policy.ById;
import cleave.master.policy.DfsSilence;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.wire.HandoffProgress;
import cleave.wire.HeartbeatRequest;
import cleave.wire.RangeGone;
import cleave.wire.ServerSeen;
import cleave.wire.Space;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One server's heartbeat stream and its last report. Not thread-safe: {@link Sessions} owns it. Heartbeats contain
 * changes; the first of a stream, and any that says so, contains everything.
 */
public final class Session {
    private static final double CPU_MAX = 10_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final HeartbeatSink sink;
    private @Nullable Incarnation incarnation;
    private final ById<ReportedLoad> ranges = new ById<>();
    private long servingChanges;
    private List<HandoffProgress> handoffs = List.of();
    private FeatureLevels levels = FeatureLevels.UNTOLD;
    private @Nullable Space space;
    private long heardAt;
    private long openingProgress;
    private long dfsSilentNanos = DfsSilence.UNTOLD;
    private long sentNanos;
    private String admin = "";
    private double cpu;
    /** Of all ranges, kept up with each report. */
    private double entitiesPerSecond;

    private long bytes;

    public Session(HeartbeatSink sink) {
        this.sink = sink;
    }

    public HeartbeatSink sink() {
        return sink;
    }

    /** Null before its first heartbeat. */
    @Nullable
    public Incarnation incarnation() {
        return incarnation;
    }

    /** @param loads all that the heartbeat reports */
    public void heard(HeartbeatRequest heartbeat, List<ReportedLoad> loads, long now) {
        incarnation = Incarnation.fromWire(heartbeat.getIncarnation());
        heardAt = now;
        openingProgress = heartbeat.getOpeningProgress();
        dfsSilentNanos = heartbeat.hasDfsSilentMillis()
                ? TimeUnit.MILLISECONDS.toNanos(Math.max(0, heartbeat.getDfsSilentMillis()))
                : DfsSilence.UNTOLD;
        sentNanos = heartbeat.getSentNanos();
        admin = heartbeat.getAdmin();
        cpu = ReportedLoad.within(CPU_MAX, heartbeat.getCpu());
        levels = levelsOf(heartbeat);
        handoffs = heartbeat.getHandoffsList();
        space = heartbeat.hasSpace() ? heartbeat.getSpace() : null;
        if (heartbeat.getWhole()) {
            ranges.clear();
            entitiesPerSecond = 0;
            bytes = 0;
            servingChanges++;
        }
        heartbeat.getGoneList().forEach(this::forget);
        loads.forEach(this::learn);
    }

    private void learn(ReportedLoad load) {
        ReportedLoad before = ranges.put(load.range(), load);
        count(load, 1);
        if (before != null) {
            count(before, -1);
        }
        if (before == null || before.epoch() != load.epoch()) {
            servingChanges++;
        }
    }

    private void count(ReportedLoad load, int sign) {
        entitiesPerSecond += sign * load.entities();
        bytes += sign
                * (load.bytes() < ReportedLoad.BYTES_MAX
                        ? load.bytes()
                        : 0); // An impossible size would hide all others.
    }

    private static FeatureLevels levelsOf(HeartbeatRequest heartbeat) {
        try {
            return FeatureLevels.fromWire(heartbeat.getLevels());
        } catch (IllegalArgumentException nonsense) {
            return FeatureLevels.UNTOLD;
        }
    }

    /** The feature levels that it supports. */
    public FeatureLevels levels() {
        return levels;
    }

    private void forget(RangeGone gone) {
        ReportedLoad load = ranges.get(gone.getRange());
        if (load != null && load.epoch() <= gone.getEpoch()) {
            ranges.remove(gone.getRange());
            count(load, -1);
            servingChanges++;
        }
    }

    /** When its last heartbeat came. */
    public long heardAt() {
        return heardAt;
    }

    /** Grows while openings make progress, for as long as the incarnation lives. */
    long openingProgress() {
        return openingProgress;
    }

    /** For how long the DFS has not answered it; 0 if it answers, {@link DfsSilence#UNTOLD} if that was not reported. */
    long dfsSilentNanos() {
        return dfsSilentNanos;
    }

    /** When its last heartbeat was sent, by its own monotonic clock. */
    public long sentNanos() {
        return sentNanos;
    }

    /** Free space on the disk of its stores; null if it was not reported. */
    @Nullable
    public Space space() {
        return space;
    }

    /** True if its free space is so little that it gets no more ranges. */
    public boolean isLowOnSpace() {
        return space != null && space.getFreeBytes() < space.getReserveBytes();
    }

    /** The handoffs that it carries out as the owner of their sources. */
    public List<HandoffProgress> handoffs() {
        return handoffs;
    }

    public boolean carriesOut(long handoff) {
        return handoffs.stream().anyMatch(progress -> progress.getHandoff() == handoff);
    }

    /** What there is to say about the server as a whole. It costs the same however many ranges there are. */
    public ServerSeen seen(long now) {
        ServerSeen.Builder seen = ServerSeen.newBuilder()
                .setAdmin(admin)
                .setCpu(cpu)
                .setRanges(ranges.size())
                .setEntitiesPerSecond(entitiesPerSecond())
                .setStoreBytes(bytes)
                .setSilentMillis((now - heardAt) / NANOS_PER_MILLI);
        return incarnation == null
                ? seen.build()
                : seen.setIncarnation(incarnation.toWire()).build();
    }

    /** Of all ranges that it serves together. */
    double entitiesPerSecond() {
        return Math.max(0, entitiesPerSecond);
    }

    /** How often the ranges that it serves, or their epochs, have changed. */
    public long servingChanges() {
        return servingChanges;
    }

    /** Its report on a range; null if it does not serve the range under this epoch. */
    @Nullable
    public ReportedLoad serving(long range, long epoch) {
        ReportedLoad load = ranges.get(range);
        return load != null && load.epoch() == epoch ? load : null;
    }
}
