package cleave.server.membership;

import cleave.dfs.Dfs;
import cleave.model.ClusterIdentity;
import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Backoffs;
import cleave.server.outside.Masters;
import cleave.server.outside.RangeStores;
import cleave.server.outside.Readers;
import cleave.server.outside.Space;
import cleave.server.outside.TargetServers;
import cleave.server.policy.AnswerOrder;
import cleave.server.range.AccountShares;
import cleave.server.range.ClusterLevel;
import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.server.range.Refused;
import cleave.server.range.SlowRequests;
import cleave.server.range.TimestampLimit;
import cleave.server.settings.RangeSettings;
import cleave.server.settings.ScrubSettings;
import cleave.wire.ErrorCode;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.LeaderClock;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.RegisterReply;
import cleave.wire.Status;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's membership in the cluster: has it registered with the masters, sends heartbeats, carries out orders. Confined
 * to the membership's loop.
 *
 * <p>One incarnation lasts until a master says that it is dead; then all its ranges are dropped at once and the server
 * registers again. A server that is cut off from the masters continues to serve its ranges: ownership rests on its
 * logs, not on contact with the masters.
 */
public final class Membership {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
    /** After this number of heartbeats without an answer the masters count as unreachable. */
    private static final int SILENT_HEARTBEATS = 15;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final EventLoop loop;
    private final Self self;
    private final Outside outside;
    private final Directory directory;
    private final TimestampLimit timestampLimit = new TimestampLimit();
    private final ClusterLevel level;
    private final IncarnationSession.Outside ofSessions;
    private final LoadReports reports;
    private final Scrubber scrubber;
    private final Registration registration;
    private Host host = Host.UNTOLD;
    private @Nullable IncarnationSession session;
    private Masters.@Nullable HeartbeatStream stream;
    private int streamNumber;
    private long streamNanos;
    private int streamFailures;
    private boolean learning;
    private boolean stopped;
    private volatile @Nullable Incarnation registered;
    private volatile long heardNanos;
    private volatile String clockProblem = "";
    private volatile String refusal = "";

    /**
     * The server that registers. Immutable.
     *
     * @param id the server's
     * @param openingsMax ranges that are opened at the same time
     * @param levels the feature levels that it supports
     */
    public record Self(
            String id,
            long heartbeatNanos,
            int openingsMax,
            RangeSettings ranges,
            ScrubSettings scrub,
            FeatureLevels levels) {
        public Self(String id, long heartbeatNanos, int openingsMax, RangeSettings ranges, ScrubSettings scrub) {
            this(id, heartbeatNanos, openingsMax, ranges, scrub, FeatureLevels.SUPPORTED);
        }

        /** A server without a scrub. */
        public Self(String id, long heartbeatNanos, int openingsMax, RangeSettings ranges, FeatureLevels levels) {
            this(id, heartbeatNanos, openingsMax, ranges, ScrubSettings.OFF, levels);
        }
    }

    /**
     * The adapters that the core uses, and the loops that run ranges. Immutable.
     */
    public record Outside(
            Dfs dfs,
            Masters masters,
            TargetServers targets,
            RangeStores stores,
            Readers readers,
            ServerMetrics metrics,
            List<? extends EventLoop> rangeLoops,
            AnswerOrder answerOrder) {}

    public Membership(EventLoop loop, Self self, Outside outside, Directory directory, AccountShares memory) {
        this.loop = loop;
        this.self = self;
        this.outside = outside;
        this.directory = directory;
        this.level = new ClusterLevel(self.levels());
        this.ofSessions = new IncarnationSession.Outside(
                loop, self, outside, directory, memory, new SlowRequests(), timestampLimit, level, new AtomicLong());
        this.reports = new LoadReports(directory);
        this.scrubber = new Scrubber(loop, self.scrub(), directory, outside.metrics());
        this.registration = new Registration(loop, self, outside, timestampLimit, this::begin);
        this.heardNanos = loop.nanos() - silentNanos() - 1;
    }

    /**
     * The process that the server runs in, for the masters to know.
     *
     * @param admin where it serves its metrics; empty if it does not
     * @param cores asked for in the loop: the processor time that the process uses
     * @param dfsSilentNanos asked for in the loop: for how long the DFS has not answered; negative if that is not known
     */
    public record Host(String admin, DoubleSupplier cores, LongSupplier dfsSilentNanos) {
        /** Of which nothing is known. */
        public static final Host UNTOLD = new Host("", () -> 0, () -> -1);
    }

    /** Registers this server under its address. Called once, on any thread. */
    public void start(String reachedAt) {
        start(reachedAt, Host.UNTOLD, identity -> {});
    }

    /** @param known called once, in the loop, with the cluster of the DFS, as soon as that can be read */
    public void start(String reachedAt, Host runsIn, Consumer<ClusterIdentity> known) {
        loop.submit(() -> {
            host = runsIn;
            registration.begin(reachedAt, known);
            beat();
            scrubber.start();
        });
    }

    private void begin(RegisterReply reply) {
        loop.assertInside();
        level.heard(reply.getLevel());
        Incarnation incarnation = Incarnation.fromWire(reply.getIncarnation());
        LOG.info("registered incarnation={} address={}", incarnation, registration.address());
        refusal = "";
        session = new IncarnationSession(incarnation, ofSessions, why -> dead(incarnation, why));
        registered = incarnation;
        outside.metrics().registered.set(1);
        openStream();
    }

    private void openStream() {
        loop.assertInside();
        IncarnationSession now = session;
        if (stopped || now == null || stream != null) {
            return;
        }
        int number = ++streamNumber;
        streamNanos = loop.nanos();
        reports.begin();
        stream = outside.masters().heartbeats(new Masters.HeartbeatListener() {
            @Override
            public void onReply(HeartbeatReply reply) {
                loop.submit(() -> heard(number, reply));
            }

            @Override
            public void onBroken(String why) {
                loop.submit(() -> broken(number, why));
            }
        });
        send(now);
    }

    private void send(IncarnationSession now) {
        loop.assertInside();
        if (stream != null) {
            HeartbeatRequest.Builder heartbeat = HeartbeatRequest.newBuilder()
                    .setIncarnation(now.incarnation().toWire())
                    .setClockTicks(loop.ticks())
                    .setSentNanos(loop.nanos())
                    .setDfs(registration.dfs())
                    .setLevels(self.levels().toWire());
            reports.report(heartbeat, loop.nanos());
            heartbeat.setSpace(outside.stores().space().toWire());
            heartbeat.setAdmin(host.admin()).setCpu(host.cores().getAsDouble());
            long dfsSilentNanos = host.dfsSilentNanos().getAsLong();
            if (dfsSilentNanos >= 0) {
                heartbeat.setDfsSilentMillis(dfsSilentNanos / NANOS_PER_MILLI);
            }
            heartbeat.addAllTroubles(now.takeFailureReports());
            heartbeat.setOpeningProgress(now.openingProgress());
            heartbeat.addAllHandoffs(now.handoffs().progress());
            stream.send(heartbeat.build());
        }
    }

    private void heard(int number, HeartbeatReply reply) {
        loop.assertInside();
        IncarnationSession now = session;
        if (number != streamNumber || now == null) {
            return;
        }
        switch (reply.getStatus().getCode()) {
            case OK -> {
                level.heard(reply.getLevel());
                heardNanos = loop.nanos();
                streamFailures = 0;
                refusal = "";
                if (reply.hasClock()) {
                    heardClock(reply.getClock());
                } else {
                    clockProblem = "";
                }
                now.carryOut(
                        reply.getOpenList(),
                        reply.getFencesList().stream().map(Fence::fromWire).toList());
            }
            case DEAD_INCARNATION -> dead(now.incarnation(), reply.getStatus().getMessage());
            case INVALID -> {
                refusal = reply.getStatus().getMessage();
                LOG.warn("the leader refuses the heartbeats of this server reason={}", refusal);
                if (!registration.dfs().isEmpty()) {
                    broken(number, refusal);
                } else if (!learning) {
                    learning = true;
                    registration.learnDfs(failure -> {
                        learning = false;
                        broken(number, refusal);
                    });
                }
            }
            default -> broken(number, reply.getStatus().toString());
        }
    }

    /** An answer that took longer than streams may be silent is too imprecise; another will come. */
    private void heardClock(LeaderClock clock) {
        if (loop.nanos() - clock.getAskedNanos() <= silentNanos()) {
            timestampLimit.heard(clock.getTicks(), clock.getSkewTicks(), clock.getAskedNanos());
        }
        double ahead = clock.getAheadTicks() / (double) Ticks.PER_SECOND;
        outside.metrics().clockSkewSeconds.set(ahead);
        clockProblem = clock.getOff()
                ? String.format(
                        Locale.ROOT,
                        "the clock of this server is %.1f s %s that of the masters' leader: this server gets no more ranges",
                        Math.abs(ahead),
                        ahead > 0 ? "ahead of" : "behind")
                : "";
    }

    private void broken(int number, String why) {
        loop.assertInside();
        if (number == streamNumber && stream != null) {
            LOG.debug("heartbeat stream broke reason={}", why);
            closeStream();
            streamFailures++;
            loop.schedule(Backoffs.STREAMS.nanos(streamFailures), this::openStream);
        }
    }

    private void closeStream() {
        if (stream != null) {
            stream.close();
            stream = null;
            streamNumber++;
        }
    }

    private void beat() {
        loop.assertInside();
        if (stopped) {
            return;
        }
        loop.schedule(self.heartbeatNanos(), this::beat);
        long ahead = 0;
        int damaged = 0;
        for (Range range : directory.all()) {
            range.measure();
            ahead = Math.max(ahead, range.timestampsAhead());
            damaged += range.damagedFiles().size();
        }
        outside.metrics().damagedFiles.set(damaged);
        outside.metrics().timestampsAheadSeconds.set(ahead / (double) Ticks.PER_SECOND);
        outside.metrics().ranges.set(directory.size());
        Space space = outside.stores().space();
        outside.metrics().storeFreeBytes.set((double) space.freeBytes());
        outside.metrics().storeReserveBytes.set((double) space.reserveBytes());
        IncarnationSession now = session;
        outside.metrics().fenceBarrierWaits(now == null ? 0 : now.oldestFenceBarrierNanos());
        if (now == null) {
            return;
        }
        outside.metrics().openings.set(now.openingCount());
        if (stream != null && loop.nanos() - Math.max(heardNanos, streamNanos) > silentNanos()) {
            broken(streamNumber, "no answer");
        }
        send(now);
    }

    private long silentNanos() {
        return SILENT_HEARTBEATS * self.heartbeatNanos();
    }

    private void dead(Incarnation incarnation, String why) {
        loop.assertInside();
        IncarnationSession now = session;
        if (now == null || !now.incarnation().equals(incarnation)) {
            return; // The session has ended already.
        }
        LOG.warn("declared dead, dropping all ranges and registering anew incarnation={} why={}", incarnation, why);
        endSession(why);
        registration.register();
    }

    private void endSession(String why) {
        loop.assertInside();
        registered = null;
        outside.metrics().registered.set(0);
        closeStream();
        if (session != null) {
            session.end(why);
            session = null;
        }
    }

    /** The incarnation that the masters registered last; null while it is not registered. Thread-safe. */
    public @Nullable Incarnation incarnation() {
        return registered;
    }

    /** Carries a handoff out; answers when it has ended. Thread-safe. */
    public CompletableFuture<HandoffOutcome> handoff(HandoffOrder order) {
        return inSession(
                now -> now.handoffs().carryOut(order),
                status -> HandoffOutcome.newBuilder().setStatus(status).build());
    }

    /** Cancels a handoff whose commit was not sent; answers when it has ended. Thread-safe. */
    public CompletableFuture<HandoffOutcome> cancel(HandoffCancel order) {
        return inSession(
                now -> now.handoffs().cancel(order),
                status -> HandoffOutcome.newBuilder().setStatus(status).build());
    }

    /** Prepares the target of a handoff. Thread-safe. */
    public CompletableFuture<PrepareReply> prepare(PrepareRequest request) {
        return inSession(
                now -> now.prepared().prepare(request),
                status -> PrepareReply.newBuilder().setStatus(status).build());
    }

    /** Finishes, or forgets, a prepared target. Thread-safe. */
    public CompletableFuture<FinishReply> finish(FinishRequest request) {
        return inSession(
                now -> now.prepared().finish(request),
                status -> FinishReply.newBuilder().setStatus(status).build());
    }

    private <T> CompletableFuture<T> inSession(
            Function<IncarnationSession, CompletableFuture<T>> call, Function<Status, T> refusal) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.submit(() -> {
            IncarnationSession now = session;
            if (now == null) {
                answer.complete(refusal.apply(Status.newBuilder()
                        .setCode(ErrorCode.NOT_OWNER)
                        .setMessage("this server is not registered")
                        .build()));
                return;
            }
            try {
                call.apply(now)
                        .whenComplete((reply, failure) -> answer.complete(
                                failure == null ? reply : refusal.apply(Refused.statusOf(EventLoop.cause(failure)))));
            } catch (IllegalArgumentException notOne) {
                answer.complete(refusal.apply(Status.newBuilder()
                        .setCode(ErrorCode.INVALID)
                        .setMessage(String.valueOf(notOne.getMessage()))
                        .build()));
            }
        });
        return answer;
    }

    /** Drops the ranges and reports nothing; the next owners find everything in the logs. Thread-safe. */
    public void stop() {
        loop.submit(() -> {
            stopped = true;
            registration.stop();
            scrubber.stop();
            endSession("the server stops");
        });
    }

    /** On any thread. */
    public Readiness readiness() {
        if (registered == null) {
            return Readiness.missing("not registered with the masters " + registration.problem());
        }
        if (loop.nanos() - heardNanos > silentNanos()) {
            String refused = refusal;
            return Readiness.missing("no master answers heartbeats"
                    + (refused.isEmpty() ? "" : "; the leader refuses them: " + refused));
        }
        String clock = clockProblem;
        if (!clock.isEmpty()) {
            return Readiness.missing(clock);
        }
        Space space = outside.stores().space();
        if (space.isLow()) {
            return Readiness.missing("the disk of server.dir has " + space + ": this server gets no more ranges");
        }
        String damaged = damaged();
        return damaged.isEmpty()
                ? Readiness.READY
                : Readiness.but(
                        "the DFS holds files damaged, and what lies in their bad blocks cannot be read: " + damaged);
    }

    /** The ranges whose files the DFS holds damaged, with these; empty if there are none. */
    private String damaged() {
        StringJoiner all = new StringJoiner("; ");
        for (Range range : directory.all()) {
            if (!range.damagedFiles().isEmpty()) {
                all.add("range " + Row.idText(range.ownership().range()) + ": "
                        + String.join(", ", range.damagedFiles()));
            }
        }
        return all.toString();
    }
}
