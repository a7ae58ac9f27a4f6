package cleave.chaos.sim.bugs;

import static cleave.chaos.sim.world.Intercepted.changed;
import static cleave.chaos.sim.world.Intercepted.withAnswers;
import static java.util.concurrent.CompletableFuture.completedFuture;

import cleave.chaos.sim.world.NodeClock;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.dfs.Dfs;
import cleave.master.policy.HighWater;
import cleave.master.policy.Lineage;
import cleave.master.replication.Replication;
import cleave.master.servers.RangeCalls;
import cleave.master.state.MasterState;
import cleave.master.sweep.SweepFiles;
import cleave.model.DfsIdentity;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.entity.EntityCodec;
import cleave.model.manifest.Manifest;
import cleave.route.CallFailed;
import cleave.route.CallFailed.Fate;
import cleave.route.MapView;
import cleave.route.RangeTransport;
import cleave.server.outside.Masters;
import cleave.server.outside.RangeStore;
import cleave.server.outside.TargetServers;
import cleave.server.policy.AnswerOrder;
import cleave.server.policy.Judgement;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.wire.CommandReply;
import cleave.wire.DropReply;
import cleave.wire.ErrorCode;
import cleave.wire.FinishRequest;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.PublishRequest;
import cleave.wire.RangeTrouble;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.Status;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where each planted {@link Bug} is, by interface: which calls it changes, and how. Bugs that are not in this package are in
 * the simulated parts themselves. One for all processes of a simulation.
 */
public final class Mutants {
    private static final long SKEW_TICKS = NodeClock.SKEW_NANOS / 100;

    private final Bug bug;
    private final Leadership raft;
    /** Logs that are wrongly believed to be sealed. */
    private final TreeSet<String> believed = new TreeSet<>();
    /** The last registrations of servers by id, which outlive their processes. */
    private final TreeMap<String, RegisterReply> registrations = new TreeMap<>();
    /** The last correction of a term's leader, subtracted from its own clock. */
    private long correctionTicks;

    private long correctedTerm;

    public Mutants(Bug bug, Leadership raft) {
        this.bug = bug;
        this.raft = raft;
    }

    /** The masters' replicated log, as it is. */
    public interface Leadership {
        /** The newest state that any member can have. */
        MasterState audited();

        long term();

        /** The clock of the node that leads; null if none does. */
        @Nullable
        NodeClock leaderClock();
    }

    public boolean has(Bug planted) {
        return bug == planted;
    }

    private @Nullable Row newestRow(long range) {
        return raft.audited().rows().row(range);
    }

    /** A server's access to the DFS. */
    public Dfs dfs(SimMedium medium, Dfs real, String server) {
        return new DfsMutants(bug, medium, real).of(server, believed);
    }

    /** A server's access to the owners of targets. */
    public TargetServers targets(SimProcess process, SimMedium medium, TargetServers real, Masters masters) {
        MoveMutants moves = new MoveMutants(real, masters, this::newestRow);
        return switch (bug) {
            case VISIBLE_END_TAKEN_FOR_SEALED_LENGTH ->
                changed(real, "finish", call -> call.goWith(1, asVisible(call.argument(1), medium)));
            case COMMITTED_WITHOUT_WORD -> moves.committingUnasked(process, medium, believed);
            case COMMITTED_OVER_A_PUBLISH -> moves.committingOverAPublish();
            default -> real;
        };
    }

    private static FinishRequest asVisible(FinishRequest request, SimMedium medium) {
        FinishRequest.Builder visible = request.toBuilder();
        visible.getSealedBuilderList()
                .forEach(log -> log.setLength(Math.min(log.getLength(), medium.visibleLength(log.getPath()))));
        return visible.build();
    }

    /** A server's access to the masters. */
    public Masters masters(Masters real, Dfs files, NodeClock clock) {
        return switch (bug) {
            case RANGES_KEPT_BY_A_RESTARTED_PROCESS -> goingOn(real);
            case CLOCK_CORRECTION_KEPT -> {
                Masters correcting = changed(real, "register", call -> {
                    RegisterReply refusal = refusal(call.argument(0));
                    return refusal == null ? call.go() : completedFuture(refusal);
                });
                yield hearing(correcting, this::heard);
            }
            case OWN_CLOCK_TAKEN_FOR_THE_LEADERS ->
                hearing(real, reply -> reply.getClockBuilder().setTicks(clock.ticks()));
            case DFS_NOT_COMPARED -> {
                Masters lying = changed(real, "register", call -> {
                    RegisterRequest.Builder request = call.<RegisterRequest>argument(0).toBuilder();
                    return call.goWith(
                            0, request.setDfs(namedDfs(request.getDfs())).build());
                });
                yield reporting(lying, report -> report.setDfs(namedDfs(report.getDfs())));
            }
            case FULL_SERVER_GETS_RANGES ->
                reporting(real, report -> {
                    report.clearSpace();
                    report.getTroublesBuilderList().forEach(RangeTrouble.Builder::clearStore);
                });
            case DFS_SILENCE_UNTOLD -> reporting(real, report -> report.setDfsSilentMillis(0));
            case DFS_SILENCE_BELIEVED ->
                reporting(real, report -> {
                    Incarnation server = Incarnation.fromWire(report.getIncarnation());
                    if (raft.audited().rows().ownedBy(server).isEmpty()) {
                        report.setDfsSilentMillis(0);
                    }
                });
            case RESUMED_BEFORE_PUBLISHING -> resuming(real);
            case FENCE_NOT_ARMED ->
                changed(
                        real,
                        "armFence",
                        call -> completedFuture(CommandReply.newBuilder()
                                .setStatus(Status.getDefaultInstance())
                                .build()));
            case UNKNOWN_COMMIT_TAKEN_FOR_REFUSED -> {
                Masters refused = changed(real, "publish", call -> {
                    PublishRequest request = call.argument(0);
                    return outcome(call.go(), List.of(request.getManifest()), files);
                });
                yield changed(refused, "commitHandoff", call -> {
                    HandoffRequest request = call.argument(0);
                    Stream<String> manifests = request.getTargetsList().stream().map(HandoffTarget::getManifest);
                    return outcome(call.go(), manifests.toList(), files);
                });
            }
            default -> real;
        };
    }

    private Masters goingOn(Masters real) {
        boolean[] registered = new boolean[1];
        return changed(real, "register", call -> {
            String server = call.<RegisterRequest>argument(0).getServer();
            RegisterReply before = registered[0] ? null : registrations.get(server);
            registered[0] = true;
            return before != null
                    ? completedFuture(before)
                    : call.<RegisterReply>then(reply -> {
                        if (reply.getStatus().getCode() == ErrorCode.OK) {
                            registrations.put(server, reply);
                        }
                        return reply;
                    });
        });
    }

    private Masters resuming(Masters real) {
        TreeMap<Long, Row> stopped = new TreeMap<>();
        Masters stopping = changed(real, "commitHandoff", call -> {
            for (HandoffSource source : call.<HandoffRequest>argument(0).getSourcesList()) {
                Row row = newestRow(source.getRange());
                if (source.getWord() && row != null && row.version() == source.getVersion()) {
                    stopped.put(row.id(), row);
                }
            }
            return call.go();
        });
        return changed(stopping, "publish", call -> {
            PublishRequest request = call.argument(0);
            Row row = stopped.remove(request.getRange());
            return row != null && row.version() == request.getVersion()
                    ? completedFuture(asIfPublished(row, request))
                    : call.go();
        });
    }

    private static CommandReply asIfPublished(Row row, PublishRequest request) {
        Row next = new Row(row.id(), row.range(), row.owner(), request.getManifest(), row.version() + 1, row.epoch());
        return CommandReply.newBuilder()
                .setStatus(Status.getDefaultInstance())
                .addRows(next.toWire())
                .build();
    }

    /** Changes the replies to heartbeats that bring a leader's clock. */
    private static Masters hearing(Masters real, Consumer<HeartbeatReply.Builder> change) {
        return changed(real, "heartbeats", call -> {
            Masters.HeartbeatListener listener = call.argument(0);
            return call.goWith(0, changed(listener, "onReply", heard -> {
                HeartbeatReply.Builder reply = heard.<HeartbeatReply>argument(0).toBuilder();
                if (reply.hasClock()) {
                    change.accept(reply);
                }
                return heard.goWith(0, reply.build());
            }));
        });
    }

    /** Changes the heartbeats of a server. */
    private static Masters reporting(Masters real, Consumer<HeartbeatRequest.Builder> change) {
        return changed(real, "heartbeats", call -> {
            Masters.HeartbeatStream stream = call.go();
            return changed(stream, "send", sent -> {
                HeartbeatRequest.Builder report = sent.<HeartbeatRequest>argument(0).toBuilder();
                change.accept(report);
                return sent.goWith(0, report.build());
            });
        });
    }

    /** Notes the time that the leader sent to a server. */
    private void heard(HeartbeatReply.Builder reply) {
        NodeClock own = raft.leaderClock();
        if (own != null) {
            correctedTerm = raft.term();
            correctionTicks = own.ticks() - reply.getClock().getTicks();
        }
    }

    /** The answer of a leader that keeps its correction if no server is left to confirm it; null if it accepts. */
    private @Nullable RegisterReply refusal(RegisterRequest request) {
        NodeClock own = raft.leaderClock();
        if (own == null
                || correctedTerm != raft.term()
                || !raft.audited().servers().isEmpty()) {
            return null;
        }
        long ahead = request.getClockTicks() - (own.ticks() - correctionTicks);
        return Math.abs(ahead) <= SKEW_TICKS
                ? null
                : RegisterReply.newBuilder()
                        .setStatus(refused("its clock is off"))
                        .build();
    }

    private static Status refused(String why) {
        return Status.newBuilder().setCode(ErrorCode.INVALID).setMessage(why).build();
    }

    /** The id of the DFS that a server gives to the masters. */
    private String namedDfs(String own) {
        String named = raft.audited().dfs();
        return named.isEmpty() ? own : named;
    }

    /** Deletes the manifests of a commit unless its answer is a row that names one. */
    private static CompletableFuture<CommandReply> outcome(
            CompletableFuture<CommandReply> reply, List<String> manifests, Dfs files) {
        return reply.handle((answer, failure) -> {
            if (answer != null
                    && answer.getRowsList().stream().anyMatch(row -> manifests.contains(row.getManifest()))) {
                return answer;
            }
            manifests.forEach(files::delete);
            return CommandReply.newBuilder()
                    .setStatus(refused("no answer, or refused"))
                    .build();
        });
    }

    /** A master's access to the servers. */
    public RangeCalls rangeCalls(RangeCalls real, Replication masters) {
        return bug != Bug.DROP_FORGETS_A_RANGE
                ? real
                : changed(real, "drop", call -> {
                    Key at = call.argument(0);
                    Row first = masters.state().rows().at(at);
                    return first == null || !at.equals(Key.beforeTable(call.<Long>argument(1)))
                            ? call.go()
                            : completedFuture(DropReply.newBuilder()
                                    .setStatus(Status.getDefaultInstance())
                                    .setStart(first.range().startToWire())
                                    .setEnd(first.range().endToWire())
                                    .build());
                });
    }

    /** A master's access to the files that it sweeps. */
    public SweepFiles sweepFiles(SweepFiles real, Replication masters) {
        return switch (bug) {
            case PREPARED_FILE_SWEPT -> {
                TreeSet<String> reached = new TreeSet<>();
                SweepFiles reaching = changed(
                        real,
                        "named",
                        call -> call.<List<String>>then(paths -> {
                            reached.add(call.argument(0));
                            reached.addAll(paths);
                            return paths;
                        }));
                yield listing(reaching, path -> {
                    if (!reached.contains(path)) {
                        real.delete(path);
                    }
                    return true;
                });
            }
            case OUTDATED_COPY_TAKEN_FOR_THE_DFS ->
                withAnswers(real, "list", (List<String> paths) -> {
                    Stream<String> manifests =
                            masters.state().rows().all().stream().flatMap(row -> Stream.ofNullable(row.manifest()));
                    Stream<String> fences =
                            masters.state().fences().all().stream().map(Fence::path);
                    return Stream.of(paths.stream(), manifests, fences)
                            .flatMap(Function.identity())
                            .sorted()
                            .distinct()
                            .toList();
                });
            case MAP_TAKEN_FOR_THE_NEWEST ->
                changed(
                        listing(real, path -> Lineage.problem(masters.state(), List.of(path)) == null),
                        "highWater",
                        call -> completedFuture(HighWater.NONE));
            case DFS_NOT_COMPARED ->
                changed(real, "dfs", call -> {
                    String named = masters.state().dfs();
                    return call.<Optional<DfsIdentity>>then(found -> found.map(
                            dfs -> named.isEmpty() || dfs.origins().contains(named) ? dfs : DfsIdentity.of(named)));
                });
            default -> real;
        };
    }

    private static SweepFiles listing(SweepFiles real, Predicate<String> which) {
        return withAnswers(
                real,
                "list",
                (List<String> paths) -> paths.stream().filter(which).toList());
    }

    /** A front end's access to the servers. */
    public RangeTransport transport(RangeTransport real, MapView map) {
        return switch (bug) {
            case WRITE_RETRIED_AFTER_UNKNOWN_ANSWER ->
                changed(
                        real,
                        "write",
                        call -> call.<CompletableFuture<?>>go().exceptionallyCompose(failure -> {
                            String why = String.valueOf(failure.getMessage());
                            return CompletableFuture.failedFuture(new CallFailed(Fate.NOT_EXECUTED, why));
                        }));
            case SCAN_CONTINUED_FROM_OWN_MAP ->
                changed(
                        real,
                        "scan",
                        call -> call.<ScanReply>then(reply -> {
                            ScanRequest request = call.argument(1);
                            Row row = map.current().lookup(Key.fromWire(request.getStart()));
                            return row == null || reply.getEnded() != ScanEnd.END_OF_RANGE
                                    ? reply
                                    : reply.toBuilder()
                                            .setExaminedUntil(row.range().endToWire())
                                            .build();
                        }));
            default -> real;
        };
    }

    /** A server's order of answers. */
    public AnswerOrder answerOrder() {
        AnswerOrder real = AnswerOrder.OF_THE_LOG;
        return switch (bug) {
            case REFUSAL_OUT_OF_ORDER ->
                changed(real, "mayOvertake", call -> {
                    Judgement judgement = call.argument(0);
                    return real.mayOvertake(judgement) || !judgement.isExecuted();
                });
            case DURABLE_RECORD_JUDGED_BY_THE_NEXT_LOG -> changed(real, "isDurable", call -> call.goWith(0, false));
            default -> real;
        };
    }

    /** The checkpoints from which a server opens a store. */
    public List<Manifest.Checkpoint> opened(KeyRange interval, List<Manifest.Checkpoint> checkpoints) {
        return bug != Bug.INTERVAL_IGNORED_BY_A_MERGE || checkpoints.size() == 1
                ? checkpoints
                : checkpoints.stream()
                        .map(each -> new Manifest.Checkpoint(interval, each.files()))
                        .toList();
    }

    /** A server's store. */
    public RangeStore store(RangeStore real) {
        return switch (bug) {
            case TRANSACTION_TORN ->
                changed(real, "apply", call -> {
                    List<Effect> effects = call.argument(0);
                    return call.goWith(0, effects.subList(0, Math.min(1, effects.size())));
                });
            case TIMESTAMP_REPEATED ->
                changed(real, "apply", call -> {
                    List<Effect> effects = call.argument(0);
                    Stream<Effect> repeated = effects.stream()
                            .map(effect -> effect instanceof Effect.Put put ? repeated(put, real) : effect);
                    return call.goWith(0, repeated.toList());
                });
            case SCAN_ENDS_EARLY ->
                changed(real, "cursor", call -> endingEarly(call.go(), real.cursor(call.argument(0))));
            case INLINE_BEFORE_ITS_LEVEL -> changed(real, "checkpoint", call -> call.goWith(1, Integer.MAX_VALUE));
            default -> real;
        };
    }

    private static Effect repeated(Effect.Put put, RangeStore store) {
        byte[] before = store.get(put.key());
        if (before == null) {
            return put;
        }
        byte[] entity = put.entity().clone();
        EntityCodec.stampTimestamp(entity, EntityCodec.timestamp(before));
        return new Effect.Put(put.key(), entity);
    }

    /** @param ahead shows whether another entity follows */
    private static EntityCursor endingEarly(EntityCursor cursor, EntityCursor ahead) {
        Runnable next = () -> {
            if (ahead.valid()) {
                ahead.next();
            }
        };
        next.run();
        return changed(
                cursor,
                Map.of(
                        "valid", call -> ahead.valid(),
                        "next", call -> call.after(next),
                        "close", call -> call.after(ahead::close)));
    }
}
