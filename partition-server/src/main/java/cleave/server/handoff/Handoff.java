package cleave.server.handoff;

import cleave.model.HandoffNumber;
import cleave.model.Incarnation;
import cleave.model.Invariant;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.server.outside.Backoffs;
import cleave.server.range.Refused;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.HandoffOutcome;
import cleave.wire.HandoffProgress;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.SealedLog;
import cleave.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One planned handoff, carried out by the owner of its sources: split, merge or move. Confined to the membership's loop.
 *
 * <p>Prepare: the sources stop publishing, and each target's owner opens its range and follows their logs. Commit: the
 * sources continue to serve while the masters decide. Switch: the sources stop and seal, the targets read the rest and
 * serve. Clients notice only the switch, in which nothing grows with the data and no master is involved. It consists of
 * these consecutive steps: requests in flight end, all sources seal, all targets finish.
 *
 * <p>Invariant I2: the commit names the versions at which the sources were held, so the targets' manifests name every
 * log that may still be written; a target serves only when these are sealed. In between the sources still serve
 * rightly, because the log is the lock.
 *
 * <p>Invariant I9: targets are asked to delete their files only if no commit was sent, or a source has published under
 * the version that the commit named: then no commit can ever reference them.
 */
final class Handoff {
    private static final Logger LOG = LoggerFactory.getLogger(Handoff.class);
    private static final long COMMIT_NANOS_MAX = 10_000_000_000L;
    private static final long FINISH_NANOS_MAX = 2_000_000_000L;

    private final EventLoop loop;
    private final Incarnation self;
    private final ResolvedOrder order;
    private final HandoffsUnderWay.Outside outside;
    private final long began;
    private final CompletableFuture<HandoffOutcome> outcome = new CompletableFuture<>();
    private final TreeMap<Integer, Row> held = new TreeMap<>();
    private final TreeMap<Integer, String> manifests = new TreeMap<>();
    private final TreeMap<Integer, SealedLog> sealed = new TreeMap<>();
    private Step step = Step.PREPARE;
    private boolean asked;
    private boolean commitSent;
    private long prepareNanos;
    private long commitBegan;
    private long switchBegan;
    private long sealedAt;
    private EventLoop.@Nullable Timer deadline;

    private enum Step {
        PREPARE,
        COMMIT,
        SWITCH,
        FINISH,
        ENDED
    }

    Handoff(EventLoop loop, Incarnation self, ResolvedOrder order, HandoffsUnderWay.Outside outside) {
        this.loop = loop;
        this.self = self;
        this.order = order;
        this.outside = outside;
        this.began = loop.nanos();
    }

    /** Completes inside the loop when it has ended, either way. */
    CompletableFuture<HandoffOutcome> outcome() {
        return outcome;
    }

    HandoffProgress progress() {
        loop.assertInside();
        return HandoffProgress.newBuilder()
                .setHandoff(order.handoff())
                .setStep(step.name().toLowerCase(java.util.Locale.ROOT))
                .setMillis((loop.nanos() - began) / 1_000_000)
                .build();
    }

    void begin() {
        loop.assertInside();
        LOG.info("handoff begins handoff={} use={} sources={}", name(), order.use(), sources());
        deadline = loop.schedule(
                order.deadlineNanos(), () -> giveUpInPreparation("it could not be prepared before its deadline"));
        hold();
    }

    private String name() {
        return HandoffNumber.text(order.handoff());
    }

    private List<String> sources() {
        return order.sources().stream()
                .map(each -> each.range().ownership().toString())
                .toList();
    }

    /** Ends it, unless its commit was sent. */
    void cancel(String why) {
        loop.assertInside();
        giveUpInPreparation("cancelled: " + why);
    }

    private void giveUpInPreparation(String why) {
        if (step == Step.PREPARE) {
            giveUp(ErrorCode.UNAVAILABLE, why);
        }
    }

    private void hold() {
        for (int i = 0; i < order.sources().size(); i++) {
            int index = i;
            ResolvedOrder.Served each = order.sources().get(i);
            Consumer<Status> broken = status -> loop.submit(() -> {
                if (step == Step.PREPARE) {
                    giveUp(status);
                } // Otherwise the source publishes a new log, unless the commit comes first: its answer shows which.
            });
            then(each.range().hold().hold(this, each.ordered(), broken), row -> {
                held.put(index, row);
                if (held.size() == order.sources().size()) {
                    prepare();
                }
            });
        }
    }

    private void prepare() {
        asked = true;
        long left = Math.max(1, (order.deadlineNanos() - (loop.nanos() - began)) / 1_000_000);
        for (int i = 0; i < order.targets().size(); i++) {
            int index = i;
            ResolvedOrder.Target target = order.targets().get(i);
            PrepareRequest.Builder request = PrepareRequest.newBuilder()
                    .setHandoff(order.handoff())
                    .setFrom(self.toWire())
                    .setTo(target.owner().toWire())
                    .setStart(target.range().startToWire())
                    .setEnd(target.range().endToWire())
                    .setDeadlineMillis((int) left);
            held.values().forEach(row -> request.addSources(row.toWire()));
            CompletableFuture<PrepareReply> reply = isLocal(target)
                    ? outside.prepared().prepare(request.build())
                    : outside.targets().prepare(target.address(), request.build(), left * 1_000_000);
            then(reply, prepared -> prepared(index, prepared));
        }
    }

    private boolean isLocal(ResolvedOrder.Target target) {
        return self.equals(target.owner());
    }

    private void prepared(int index, PrepareReply reply) {
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            giveUp(reply.getStatus());
            return;
        }
        manifests.put(index, reply.getManifest());
        if (manifests.size() == order.targets().size()) {
            step = Step.COMMIT;
            commitSent = true;
            commitBegan = loop.nanos();
            commit(command(), 0);
        }
    }

    private HandoffRequest command() {
        HandoffRequest.Builder command = HandoffRequest.newBuilder().setBy(self.toWire());
        for (Row row : held.values()) {
            command.addSources(HandoffSource.newBuilder()
                    .setRange(row.id())
                    .setVersion(row.version())
                    .setWord(true));
        }
        for (Map.Entry<Integer, String> each : manifests.entrySet()) {
            ResolvedOrder.Target target = order.targets().get(each.getKey());
            command.addTargets(HandoffTarget.newBuilder()
                    .setStart(target.range().startToWire())
                    .setEnd(target.range().endToWire())
                    .setOwner(target.owner().toWire())
                    .setManifest(each.getValue()));
        }
        return command.build();
    }

    /**
     * Sends the commit until an answer shows its outcome, or until its time is up: then the sources resolve it by
     * publishing.
     */
    private void commit(HandoffRequest command, int failures) {
        if (step != Step.COMMIT) {
            return;
        }
        loop.whenDone(outside.masters().commitHandoff(command), (reply, failure) -> {
            if (step != Step.COMMIT) {
                return;
            }
            ErrorCode code = reply == null
                    ? ErrorCode.UNKNOWN_OUTCOME
                    : reply.getStatus().getCode();
            switch (code) {
                case OK -> committed(reply == null ? CommandReply.getDefaultInstance() : reply);
                case DEAD_INCARNATION -> {
                    giveUp(code, "a master says that " + self + " is dead");
                    outside.dead().accept("a master says so");
                }
                case NOT_LEADER, UNAVAILABLE, BUSY, UNKNOWN_OUTCOME -> {
                    String why = reply == null
                            ? String.valueOf(failure)
                            : reply.getStatus().toString();
                    if (loop.nanos() - commitBegan > COMMIT_NANOS_MAX) {
                        giveUp(ErrorCode.UNKNOWN_OUTCOME, "no master answered how the commit ended: " + why);
                    } else {
                        LOG.info("commit put off handoff={} reason={}", name(), why);
                        loop.schedule(Backoffs.CALLS.nanos(failures + 1), () -> commit(command, failures + 1));
                    }
                }
                default -> giveUp(reply == null ? Status.getDefaultInstance() : reply.getStatus());
            }
        });
    }

    private void committed(CommandReply reply) {
        step = Step.SWITCH;
        switchBegan = loop.nanos();
        prepareNanos = switchBegan - began;
        outside.metrics().handoffPrepareSeconds.labels(order.use()).observe(prepareNanos / 1e9);
        List<Row> rows = reply.getRowsList().stream().map(Row::fromWire).toList();
        outside.directory().replaced(rows);
        rows.forEach(outside.prepared()::expect);
        List<CompletableFuture<?>> stopping = new ArrayList<>();
        for (int i = 0; i < order.sources().size(); i++) {
            int index = i;
            CompletableFuture<Void> ended = new CompletableFuture<>();
            stopping.add(ended);
            loop.whenDone(order.sources().get(i).range().hold().stop(this), (log, failure) -> {
                if (log != null) {
                    sealed.put(index, log);
                } // Otherwise the target's owner seals it.
                ended.complete(null);
            });
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(stopping.toArray(CompletableFuture<?>[]::new));
        loop.schedule(outside.switchNanos(), () -> all.complete(null));
        loop.whenDone(all, (nothing, failure) -> finish(rows));
    }

    private void finish(List<Row> rows) {
        if (step != Step.SWITCH) {
            return;
        }
        step = Step.FINISH;
        sealedAt = loop.nanos();
        List<Row> targets = new ArrayList<>();
        List<CompletableFuture<Boolean>> finishing = new ArrayList<>();
        manifests.forEach((index, manifest) -> rows.stream()
                .filter(row -> manifest.equals(row.manifest()))
                .findFirst()
                .ifPresent(row -> {
                    targets.add(row);
                    finishing.add(finish(order.targets().get(index), row));
                }));
        loop.whenDone(
                CompletableFuture.allOf(finishing.toArray(CompletableFuture<?>[]::new)),
                (nothing, failure) -> end(targets));
    }

    /** Completes when the target serves, or when that is left to a master's order. */
    private CompletableFuture<Boolean> finish(ResolvedOrder.Target target, Row row) {
        FinishRequest request = FinishRequest.newBuilder()
                .setHandoff(order.handoff())
                .setTo(target.owner().toWire())
                .setRow(row.toWire())
                .addAllSealed(sealed.values())
                .build();
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        finish(target, request, 0, ended);
        loop.schedule(FINISH_NANOS_MAX, () -> ended.complete(false));
        return ended;
    }

    private void finish(
            ResolvedOrder.Target target, FinishRequest request, int failures, CompletableFuture<Boolean> ended) {
        loop.whenDone(send(target, request), (reply, failure) -> {
            if (reply != null) {
                if (reply.getStatus().getCode() != ErrorCode.OK) {
                    LOG.warn("target does not serve yet handoff={} status={}", name(), reply.getStatus());
                }
                ended.complete(reply.getStatus().getCode() == ErrorCode.OK);
            } else if (!ended.isDone()) {
                loop.schedule(Backoffs.CALLS.nanos(failures + 1), () -> finish(target, request, failures + 1, ended));
            }
        });
    }

    private CompletableFuture<FinishReply> send(ResolvedOrder.Target target, FinishRequest request) {
        return isLocal(target)
                ? outside.prepared().finish(request)
                : outside.targets().finish(target.address(), request, FINISH_NANOS_MAX);
    }

    private void end(List<Row> targets) {
        order.sources().forEach(each -> each.range().close("handed over"));
        long switchNanos = loop.nanos() - switchBegan;
        outside.metrics().handoffSwitchSeconds.labels(order.use()).observe(switchNanos / 1e9);
        LOG.info(
                "handoff switched handoff={} use={} commitMicros={} sealMicros={} finishMicros={}",
                name(),
                order.use(),
                (switchBegan - commitBegan) / 1_000,
                (sealedAt - switchBegan) / 1_000,
                (loop.nanos() - sealedAt) / 1_000);
        HandoffOutcome.Builder done = HandoffOutcome.newBuilder()
                .setStatus(Status.getDefaultInstance())
                .setPrepareMillis(prepareNanos / 1_000_000)
                .setSwitchMicros(switchNanos / 1_000);
        targets.forEach(row -> done.addRows(row.toWire()));
        close("done", done.build());
    }

    private void giveUp(ErrorCode code, String why) {
        giveUp(Status.newBuilder().setCode(code).setMessage(why).build());
    }

    private void giveUp(Status status) {
        if (step == Step.ENDED) {
            return;
        }
        Invariant.check(step == Step.PREPARE || step == Step.COMMIT, "a committed handoff is given up: %s", status);
        close(
                status.getCode() == ErrorCode.UNKNOWN_OUTCOME ? "unknown" : "given up",
                HandoffOutcome.newBuilder()
                        .setStatus(status)
                        .setPrepareMillis(prepareNanos / 1_000_000)
                        .build());
        for (ResolvedOrder.Served each : order.sources()) {
            loop.whenDone(each.range().hold().release(this, commitSent), (neverCommitted, failure) -> {
                if (Boolean.TRUE.equals(neverCommitted)) {
                    forgetTargets();
                }
            });
        }
    }

    private void forgetTargets() {
        if (!asked) {
            return;
        }
        asked = false;
        for (ResolvedOrder.Target target : order.targets()) {
            FinishRequest request = FinishRequest.newBuilder()
                    .setHandoff(order.handoff())
                    .setTo(target.owner().toWire())
                    .build();
            send(target, request); // If it is lost, the target forgets by itself, later.
        }
    }

    private void close(String how, HandoffOutcome answer) {
        LOG.info(
                "handoff ended handoff={} use={} how={} status={} prepareMillis={} switchMicros={}",
                name(),
                order.use(),
                how,
                answer.getStatus(),
                answer.getPrepareMillis(),
                answer.getSwitchMicros());
        step = Step.ENDED;
        if (deadline != null) {
            deadline.cancel();
        }
        outside.metrics().handoffs.labels(order.use(), how).inc();
        outcome.complete(answer);
    }

    /** Ends with the incarnation, without any further effect on the sources. */
    void abandon() {
        loop.assertInside();
        if (step != Step.ENDED) {
            close(
                    "abandoned",
                    HandoffOutcome.newBuilder()
                            .setStatus(Status.newBuilder()
                                    .setCode(ErrorCode.UNKNOWN_OUTCOME)
                                    .setMessage("the incarnation has ended"))
                            .build());
        }
    }

    private <T> void then(CompletableFuture<T> work, Consumer<T> next) {
        loop.whenDone(work, (result, failure) -> {
            if (step == Step.ENDED) {
                return;
            }
            if (failure != null) {
                giveUp(Refused.statusOf(failure));
            } else {
                next.accept(result);
            }
        });
    }
}
