package cleave.chaos.sim.bugs;

import static cleave.chaos.sim.world.Intercepted.changed;
import static java.util.concurrent.CompletableFuture.completedFuture;

import cleave.chaos.sim.world.Intercepted;
import cleave.chaos.sim.world.NodeClock;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.SimVersion;
import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.master.policy.HighWater;
import cleave.master.policy.Lineage;
import cleave.master.replication.Replication;
import cleave.master.servers.RangeCalls;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.master.state.Step;
import cleave.master.sweep.SweepFiles;
import cleave.model.DfsIdentity;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.entity.EntityCodec;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import cleave.route.CallFailed;
import cleave.route.CallFailed.Fate;
import cleave.route.MapView;
import cleave.route.RangeTransport;
import cleave.server.outside.Masters;
import cleave.server.outside.Masters.HeartbeatListener;
import cleave.server.outside.Masters.HeartbeatStream;
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
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.PublishRequest;
import cleave.wire.RangeTrouble;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.Status;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * Where each planted {@link Bug} is, by interface: which calls it changes, and how. Those that are not here are in the
 * simulated parts themselves. One for all processes of a simulation. Confined to the simulation.
 */
public final class Mutants {
    private static final long GOES_ON_NANOS = 500_000_000;
    private static final long FINISH_NANOS_MAX = 2_000_000_000;
    private static final long SKEW_TICKS = NodeClock.SKEW_NANOS / 100;
    private static final int RECORD_CHECKSUM_AT = 4;
    private static final int RECORD_CONTENT_AT = 8;
    private static final int RECORD_TIMESTAMP_AT = 16;

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

    private static boolean isLog(String path) {
        return path.contains("-log-");
    }

    /** A server's access to the DFS. */
    public Dfs dfs(SimMedium medium, Dfs real, String server) {
        return switch (bug) {
            case SEAL_SKIPPED -> takeover(real, path -> unsealed(medium, real, path));
            case RANGES_KEPT_BY_A_RESTARTED_PROCESS ->
                takeover(real, path -> path.contains("-" + server + ".") ? length(real, path) : real.seal(path));
            case REPLAY_CUT_SHORT ->
                takeover(real, path -> real.seal(path).thenApply(length -> Math.max(0, length - 1)));
            case REPLAY_PAST_THE_SEAL -> takeover(real, path -> real.seal(path).thenApply(length -> length + 1));
            case COMMITTED_WITHOUT_WORD ->
                takeover(real, path -> believed.contains(path) ? unsealed(medium, real, path) : real.seal(path));
            case OPEN_FILE_READ_BEYOND_ACKNOWLEDGED -> overreading(medium, real);
            case DROP_FORGOTTEN_BY_A_CHILD -> forgetting(real);
            case TIMESTAMPS_FROM_THE_CLOCK_ALONE ->
                logs(forgetting(real), "append", (file, call) -> call.goWith(0, withoutTimestamp(call.argument(0))));
            case BARRIER_SKIPPED -> logs(real, "barrier", (file, call) -> completedFuture(null));
            case ACKNOWLEDGED_BEFORE_DURABLE -> {
                TreeMap<String, Long> sent = new TreeMap<>();
                yield logs(real, "append", (file, call) -> {
                    call.go();
                    return completedFuture(sent.merge(file.path(), size(call), Long::sum));
                });
            }
            case WRITTEN_BEHIND_UNKNOWN_APPEND -> writtenBehind(medium, real);
            case BROKEN_LOG_TAKEN_FOR_UNWRITTEN -> unwritten(real);
            case FILE_OF_OTHERS_DELETED ->
                changed(Dfs.class, real, "create", call -> {
                    CompletableFuture<DfsFile> created = call.go();
                    created.whenComplete((file, failure) -> {
                        if (failure != null) {
                            real.delete(call.argument(0));
                        }
                    });
                    return created;
                });
            case REACHABLE_FILE_SWEPT -> {
                ArrayDeque<String> created = new ArrayDeque<>();
                Dfs sweeping = changed(
                        Dfs.class,
                        real,
                        "delete",
                        call -> call.after(() -> created.stream().limit(1).forEach(real::delete)));
                yield onCreate(sweeping, created::push);
            }
            default -> real;
        };
    }

    private static Dfs onCreate(Dfs real, Consumer<String> listener) {
        return changed(Dfs.class, real, "create", call -> call.after(() -> listener.accept(call.argument(0))));
    }

    /** @param seal answers the length up to which the log of another process is replayed */
    private static Dfs takeover(Dfs real, Function<String, CompletableFuture<Long>> seal) {
        TreeSet<String> own = new TreeSet<>();
        Dfs taking = changed(Dfs.class, real, "seal", call -> {
            String path = call.argument(0);
            return isLog(path) && !own.contains(path) ? seal.apply(path) : call.go();
        });
        return onCreate(taking, own::add);
    }

    private static CompletableFuture<Long> unsealed(SimMedium medium, Dfs real, String path) {
        return real.stat(path).thenApply(file -> medium.durableLength(path));
    }

    private static CompletableFuture<Long> length(Dfs real, String path) {
        return real.stat(path).thenApply(Dfs.FileInfo::length);
    }

    /** Changes a call of the handle of each log. */
    private static Dfs logs(Dfs real, String name, BiFunction<DfsFile, Intercepted, @Nullable Object> change) {
        return changed(
                Dfs.class,
                real,
                "create",
                create -> isLog(create.argument(0))
                        ? create.<DfsFile>then(
                                file -> changed(DfsFile.class, file, name, call -> change.apply(file, call)))
                        : create.go());
    }

    private static long size(Intercepted append) {
        return append.<ByteString>argument(0).size();
    }

    private static Dfs overreading(SimMedium medium, Dfs real) {
        TreeMap<String, ByteString> misread = new TreeMap<>();
        Dfs taking = takeover(real, path -> {
            ByteString open = medium.isVisible() && medium.exists(path) ? medium.peek(path) : null;
            return real.seal(path).thenApply(length -> {
                if (open == null || open.size() <= length) {
                    return length;
                }
                misread.put(path, open);
                return (long) open.size();
            });
        });
        return changed(Dfs.class, taking, "read", call -> read(misread, call));
    }

    private static CompletableFuture<ByteString> read(Map<String, ByteString> misread, Intercepted call) {
        ByteString read = misread.get(call.<String>argument(0));
        if (read == null) {
            return call.go();
        }
        int offset = call.<Long>argument(1).intValue();
        return completedFuture(read.substring(offset, Math.min(read.size(), offset + call.<Integer>argument(2))));
    }

    /** Part of a manifest, from which a new owner continues, is missing. */
    private Dfs forgetting(Dfs real) {
        TreeMap<String, ByteString> less = new TreeMap<>();
        Dfs forgetful = changed(Dfs.class, real, "stat", call -> {
            CompletableFuture<Dfs.FileInfo> found = call.go();
            return isManifest(call.argument(0)) ? found.thenCompose(file -> forget(real, file, less)) : found;
        });
        return changed(
                Dfs.class,
                forgetful,
                "read",
                call -> isManifest(call.argument(0))
                        ? forgetful.stat(call.argument(0)).thenCompose(known -> read(less, call))
                        : call.go());
    }

    private static boolean isManifest(String path) {
        return path.contains("-manifest-");
    }

    private CompletableFuture<Dfs.FileInfo> forget(Dfs real, Dfs.FileInfo file, Map<String, ByteString> less) {
        return real.read(file.path(), 0, Math.toIntExact(file.length())).thenApply(bytes -> {
            Manifest whole = ManifestCodec.decode(bytes.toByteArray());
            ByteString part = ByteString.copyFrom(ManifestCodec.encode(new Manifest(
                    whole.range(),
                    whole.epoch(),
                    whole.checkpoints(),
                    whole.logs(),
                    bug == Bug.TIMESTAMPS_FROM_THE_CLOCK_ALONE ? 0 : whole.highestTimestamp(),
                    bug == Bug.DROP_FORGOTTEN_BY_A_CHILD ? DroppedTables.NONE : whole.dropped())));
            less.put(file.path(), part);
            return new Dfs.FileInfo(file.path(), part.size(), file.sealed());
        });
    }

    /** A log record without assigned timestamps; see {@link cleave.server.state.LogRecordBuilder}. */
    private static ByteString withoutTimestamp(ByteString record) {
        ByteBuffer changed = ByteBuffer.wrap(record.toByteArray()).putLong(RECORD_TIMESTAMP_AT, 0);
        CRC32C checksum = new CRC32C();
        checksum.update(changed.array(), 0, RECORD_CHECKSUM_AT);
        checksum.update(changed.array(), RECORD_CONTENT_AT, record.size() - RECORD_CONTENT_AT);
        return ByteString.copyFrom(
                changed.putInt(RECORD_CHECKSUM_AT, (int) checksum.getValue()).array());
    }

    private static Dfs writtenBehind(SimMedium medium, Dfs real) {
        TreeMap<String, Long> sent = new TreeMap<>();
        return logs(real, "append", (file, call) -> {
            long end = sent.merge(file.path(), size(call), Long::sum);
            return call.<CompletableFuture<Long>>go().thenApply(length -> end).exceptionallyCompose(failure -> {
                if (!isBreak(failure)) {
                    return CompletableFuture.failedFuture(failure);
                }
                medium.mend(file.path());
                return call.<CompletableFuture<Long>>go().thenApply(length -> end);
            });
        });
    }

    private static Dfs unwritten(Dfs real) {
        TreeMap<String, Long> acknowledged = new TreeMap<>();
        TreeMap<String, Long> broken = new TreeMap<>();
        Dfs learning = logs(
                real,
                "append",
                (file, call) -> call.<CompletableFuture<Long>>go().whenComplete((length, failure) -> {
                    if (length != null) {
                        acknowledged.put(file.path(), length);
                    } else if (isBreak(failure)) {
                        broken.putIfAbsent(file.path(), acknowledged.getOrDefault(file.path(), 0L));
                    }
                }));
        return changed(Dfs.class, learning, "seal", call -> {
            Long known = broken.get(call.<String>argument(0));
            return call.<Long>then(length -> known == null ? length : known);
        });
    }

    private static boolean isBreak(@Nullable Throwable failure) {
        Throwable why = failure instanceof CompletionException ? failure.getCause() : failure;
        return why instanceof DfsException answer && answer.reason() == DfsException.Reason.BROKEN;
    }

    /** A server's access to the masters. */
    public Masters masters(Masters real, Dfs files, NodeClock clock) {
        return switch (bug) {
            case RANGES_KEPT_BY_A_RESTARTED_PROCESS -> goingOn(real);
            case CLOCK_CORRECTION_KEPT -> {
                Masters correcting = changed(Masters.class, real, "register", call -> {
                    RegisterReply refusal = refusal(call.argument(0));
                    return refusal == null ? call.go() : completedFuture(refusal);
                });
                yield hearing(correcting, this::heard);
            }
            case OWN_CLOCK_TAKEN_FOR_THE_LEADERS ->
                hearing(real, told -> told.getClockBuilder().setTicks(clock.ticks()));
            case DFS_NOT_COMPARED -> {
                Masters lying = changed(Masters.class, real, "register", call -> {
                    RegisterRequest.Builder told = call.<RegisterRequest>argument(0).toBuilder();
                    return call.goWith(0, told.setDfs(namedDfs(told.getDfs())).build());
                });
                yield telling(lying, told -> told.setDfs(namedDfs(told.getDfs())));
            }
            case FULL_SERVER_GETS_RANGES ->
                telling(real, told -> {
                    told.clearSpace();
                    told.getTroublesBuilderList().forEach(RangeTrouble.Builder::clearStore);
                });
            case RESUMED_BEFORE_PUBLISHING -> resuming(real);
            case UNKNOWN_COMMIT_TAKEN_FOR_REFUSED -> {
                Masters refused = changed(Masters.class, real, "publish", call -> {
                    PublishRequest request = call.argument(0);
                    return outcome(call.go(), List.of(request.getManifest()), files);
                });
                yield changed(Masters.class, refused, "commitHandoff", call -> {
                    List<HandoffTarget> targets =
                            call.<HandoffRequest>argument(0).getTargetsList();
                    return outcome(
                            call.go(),
                            targets.stream().map(HandoffTarget::getManifest).toList(),
                            files);
                });
            }
            default -> real;
        };
    }

    private Masters goingOn(Masters real) {
        boolean[] registered = new boolean[1];
        return changed(Masters.class, real, "register", call -> {
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
        Masters stopping = changed(Masters.class, real, "commitHandoff", call -> {
            for (HandoffSource source : call.<HandoffRequest>argument(0).getSourcesList()) {
                Row row = raft.audited().rows().row(source.getRange());
                if (source.getWord() && row != null && row.version() == source.getVersion()) {
                    stopped.put(row.id(), row);
                }
            }
            return call.go();
        });
        return changed(Masters.class, stopping, "publish", call -> {
            PublishRequest request = call.argument(0);
            Row row = stopped.remove(request.getRange());
            return row != null && row.version() == request.getVersion()
                    ? completedFuture(asIfPublished(row, request))
                    : call.go();
        });
    }

    /** Changes what the masters tell a server with their clock. */
    private static Masters hearing(Masters real, Consumer<HeartbeatReply.Builder> change) {
        return changed(
                Masters.class,
                real,
                "heartbeats",
                call -> call.goWith(0, changed(HeartbeatListener.class, call.argument(0), "onReply", heard -> {
                    HeartbeatReply.Builder told = heard.<HeartbeatReply>argument(0).toBuilder();
                    if (told.hasClock()) {
                        change.accept(told);
                    }
                    return heard.goWith(0, told.build());
                })));
    }

    /** Changes what a server tells the masters. */
    private static Masters telling(Masters real, Consumer<HeartbeatRequest.Builder> change) {
        return changed(
                Masters.class,
                real,
                "heartbeats",
                call -> changed(HeartbeatStream.class, call.go(), "send", sent -> {
                    HeartbeatRequest.Builder told = sent.<HeartbeatRequest>argument(0).toBuilder();
                    change.accept(told);
                    return sent.goWith(0, told.build());
                }));
    }

    /** Notes the time that the leader sent to a server. */
    private void heard(HeartbeatReply.Builder told) {
        NodeClock own = raft.leaderClock();
        if (own != null) {
            correctedTerm = raft.term();
            correctionTicks = own.ticks() - told.getClock().getTicks();
        }
    }

    /** What a leader that keeps its correction answers if no server is left to confirm it; null if it accepts. */
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

    /** The id of the DFS that the masters are told. */
    private String namedDfs(String own) {
        String named = raft.audited().dfs();
        return named.isEmpty() ? own : named;
    }

    private static CommandReply asIfPublished(Row row, PublishRequest request) {
        Row next = new Row(row.id(), row.range(), row.owner(), request.getManifest(), row.version() + 1, row.epoch());
        return CommandReply.newBuilder()
                .setStatus(Status.getDefaultInstance())
                .addRows(next.toWire())
                .build();
    }

    /** Of a commit of these manifests, which are deleted unless it is answered by a row that names one. */
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

    /** A move of a whole range to another server, and its target's manifest. */
    private record Move(String address, PrepareRequest request, String manifest) {
        /** Null if less than a range is moved, or it was not prepared. */
        static @Nullable Move prepared(Intercepted call, PrepareReply reply) {
            PrepareRequest request = call.argument(1);
            boolean isWhole = request.getSourcesCount() == 1
                    && request.getSources(0).getStart().equals(request.getStart())
                    && request.getSources(0).getEnd().equals(request.getEnd());
            return isWhole && reply.getStatus().getCode() == ErrorCode.OK
                    ? new Move(call.argument(0), request, reply.getManifest())
                    : null;
        }

        Row source() {
            return Row.fromWire(request.getSources(0));
        }
    }

    /** A server's access to the owners of targets. */
    public TargetServers targets(SimProcess process, SimMedium medium, TargetServers real, Masters masters) {
        return switch (bug) {
            case VISIBLE_END_TAKEN_FOR_SEALED_LENGTH ->
                changed(
                        TargetServers.class,
                        real,
                        "finish",
                        call -> call.goWith(1, asVisible(call.argument(1), medium)));
            case COMMITTED_WITHOUT_WORD ->
                changed(
                        TargetServers.class,
                        real,
                        "prepare",
                        call -> call.<CompletableFuture<PrepareReply>>go().thenCompose(reply -> {
                            Move move = Move.prepared(call, reply);
                            return move == null
                                    ? completedFuture(reply)
                                    : commitUnasked(move, reply, process, medium, real, masters);
                        }));
            case COMMITTED_OVER_A_PUBLISH -> committingOver(real, masters);
            default -> real;
        };
    }

    private TargetServers committingOver(TargetServers real, Masters masters) {
        TreeMap<Long, Move> prepared = new TreeMap<>();
        TargetServers preparing = changed(
                TargetServers.class,
                real,
                "prepare",
                call -> call.<PrepareReply>then(reply -> {
                    Move move = Move.prepared(call, reply);
                    if (move != null) {
                        prepared.put(move.request().getHandoff(), move);
                        commitOverAPublish(move, prepared, real, masters);
                    }
                    return reply;
                }));
        return changed(TargetServers.class, preparing, "finish", call -> {
            FinishRequest request = call.argument(1);
            if (request.hasRow()) {
                return call.go();
            }
            Move givenUp = prepared.get(request.getHandoff());
            if (givenUp != null) {
                commitOverAPublish(givenUp, prepared, real, masters);
            }
            return new CompletableFuture<>(); // The prepared target is kept.
        });
    }

    /** Commits and finishes at once, as if the source had stopped; the source serves for a while longer. */
    private CompletableFuture<PrepareReply> commitUnasked(
            Move move,
            PrepareReply reply,
            SimProcess process,
            SimMedium medium,
            TargetServers targets,
            Masters masters) {
        ByteString manifest =
                medium.isVisible() ? medium.peek(String.valueOf(move.source().manifest())) : null;
        if (manifest == null) {
            return completedFuture(reply);
        }
        List<Manifest.Log> logs = ManifestCodec.decode(manifest.toByteArray()).logs();
        believed.add(logs.get(logs.size() - 1).path());
        commit(move, move.source().version(), targets, masters);
        CompletableFuture<PrepareReply> later = new CompletableFuture<>();
        process.deliver(GOES_ON_NANOS, () -> later.complete(reply));
        return later;
    }

    /** Applies if the source has published since the move was prepared. */
    private void commitOverAPublish(Move move, Map<Long, Move> prepared, TargetServers targets, Masters masters) {
        Row source = move.source();
        Row now = raft.audited().rows().row(source.id());
        if (now != null && now.epoch() == source.epoch() && now.version() > source.version()) {
            prepared.remove(move.request().getHandoff());
            commit(move, now.version(), targets, masters);
        }
    }

    private static void commit(Move move, long version, TargetServers targets, Masters masters) {
        PrepareRequest request = move.request();
        HandoffRequest command = HandoffRequest.newBuilder()
                .setBy(request.getFrom())
                .addSources(HandoffSource.newBuilder()
                        .setRange(move.source().id())
                        .setVersion(version)
                        .setWord(true))
                .addTargets(HandoffTarget.newBuilder()
                        .setStart(request.getStart())
                        .setEnd(request.getEnd())
                        .setOwner(request.getTo())
                        .setManifest(move.manifest()))
                .build();
        masters.commitHandoff(command)
                .thenAccept(committed -> committed.getRowsList().stream()
                        .filter(row -> row.getManifest().equals(move.manifest()))
                        .forEach(row -> targets.finish(
                                move.address(),
                                FinishRequest.newBuilder()
                                        .setHandoff(request.getHandoff())
                                        .setTo(request.getTo())
                                        .setRow(row)
                                        .build(),
                                FINISH_NANOS_MAX)));
    }

    private static FinishRequest asVisible(FinishRequest request, SimMedium medium) {
        FinishRequest.Builder told = request.toBuilder();
        told.getSealedBuilderList()
                .forEach(log -> log.setLength(Math.min(log.getLength(), medium.visibleLength(log.getPath()))));
        return told.build();
    }

    /** A master's access to the servers. */
    public RangeCalls rangeCalls(RangeCalls real, Replication masters) {
        return bug != Bug.DROP_FORGETS_A_RANGE
                ? real
                : changed(RangeCalls.class, real, "drop", call -> {
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
                        SweepFiles.class,
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
                changed(
                        SweepFiles.class,
                        real,
                        "list",
                        call -> call.<List<String>>then(paths -> {
                            TreeSet<String> all = new TreeSet<>(paths);
                            masters.state().rows().all().stream()
                                    .flatMap(row -> Stream.ofNullable(row.manifest()))
                                    .forEach(all::add);
                            return List.copyOf(all);
                        }));
            case MAP_TAKEN_FOR_THE_NEWEST ->
                changed(
                        SweepFiles.class,
                        listing(real, path -> Lineage.problem(masters.state(), List.of(path)) == null),
                        "highWater",
                        call -> completedFuture(HighWater.NONE));
            case DFS_NOT_COMPARED ->
                changed(SweepFiles.class, real, "dfs", call -> {
                    String named = masters.state().dfs();
                    return call.<Optional<DfsIdentity>>then(found -> found.map(
                            dfs -> named.isEmpty() || dfs.origins().contains(named) ? dfs : DfsIdentity.of(named)));
                });
            default -> real;
        };
    }

    private static SweepFiles listing(SweepFiles real, Predicate<String> which) {
        return changed(
                SweepFiles.class,
                real,
                "list",
                call -> call.<List<String>>then(
                        paths -> paths.stream().filter(which).toList()));
    }

    /** A front end's access to the servers. */
    public RangeTransport transport(RangeTransport real, MapView map) {
        return switch (bug) {
            case WRITE_RETRIED_AFTER_UNKNOWN_ANSWER ->
                changed(
                        RangeTransport.class,
                        real,
                        "write",
                        call -> call.<CompletableFuture<?>>go()
                                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                                        new CallFailed(Fate.NOT_EXECUTED, String.valueOf(failure.getMessage())))));
            case SCAN_CONTINUED_FROM_OWN_MAP ->
                changed(
                        RangeTransport.class,
                        real,
                        "scan",
                        call -> call.<ScanReply>then(end -> {
                            Key start =
                                    Key.fromWire(call.<ScanRequest>argument(1).getStart());
                            Row row = map.current().lookup(start);
                            return row == null || end.getEnded() != ScanEnd.END_OF_RANGE
                                    ? end
                                    : end.toBuilder()
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
                changed(AnswerOrder.class, real, "mayOvertake", call -> {
                    Judgement judgement = call.argument(0);
                    return real.mayOvertake(judgement) || !judgement.isExecuted();
                });
            case DURABLE_RECORD_JUDGED_BY_THE_NEXT_LOG ->
                changed(AnswerOrder.class, real, "isDurable", call -> call.goWith(0, false));
            default -> real;
        };
    }

    public boolean has(Bug planted) {
        return bug == planted;
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
                changed(RangeStore.class, real, "apply", call -> {
                    List<Effect> effects = call.argument(0);
                    return call.goWith(0, effects.subList(0, Math.min(1, effects.size())));
                });
            case TIMESTAMP_REPEATED ->
                changed(RangeStore.class, real, "apply", call -> {
                    List<Effect> effects = call.argument(0);
                    return call.goWith(
                            0,
                            effects.stream()
                                    .map(effect -> effect instanceof Effect.Put put ? repeated(put, real) : effect)
                                    .toList());
                });
            case SCAN_ENDS_EARLY ->
                changed(
                        RangeStore.class,
                        real,
                        "cursor",
                        call -> endingEarly(call.go(), real.cursor(call.argument(0))));
            case INLINE_BEFORE_ITS_LEVEL ->
                changed(RangeStore.class, real, "checkpoint", call -> call.goWith(1, Integer.MAX_VALUE));
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
                EntityCursor.class,
                cursor,
                Map.of(
                        "valid", call -> ahead.valid(),
                        "next", call -> call.after(next),
                        "close", call -> call.after(ahead::close)));
    }

    /** The command that enters the masters' log. */
    public static byte[] entering(Bug bug, byte[] proposed, MasterState newest) {
        if (bug != Bug.EPOCH_COMPARED_FOR_VERSION) {
            return proposed;
        }
        cleave.wire.MasterCommand.Builder command = SimVersion.wire(proposed).toBuilder();
        if (command.hasPublish()) {
            PublishRequest.Builder publish = command.getPublishBuilder();
            publish.setVersion(newestVersion(newest, publish.getRange(), publish.getVersion()));
        } else if (command.hasHandoff()) {
            command.getHandoffBuilder()
                    .getSourcesBuilderList()
                    .forEach(each -> each.setVersion(newestVersion(newest, each.getRange(), each.getVersion())));
        }
        return command.build().toByteArray();
    }

    /** The version of a range's newest row, if its epoch is the same. */
    private static long newestVersion(MasterState newest, long range, long version) {
        Row row = newest.rows().row(range);
        return row != null && row.epoch() <= version ? row.version() : version;
    }

    /** What the masters' state machine makes of a command. */
    public static Step step(Bug bug, MasterState state, MasterCommand command, long index) {
        TreePMap<String, Server> servers = state.servers();
        if (bug == Bug.MOVED_TO_A_DEAD_SERVER && command instanceof MasterCommand.Handoff handoff) {
            for (MasterCommand.TargetRow target : handoff.targets()) {
                Incarnation owner = target.owner();
                servers = state.isLive(owner) || handoff.by().equals(owner)
                        ? servers
                        : servers.plus(owner.server(), new Server(owner, "nowhere:1", false));
            }
        } else if (bug != Bug.SERVERS_KEPT_WHEN_THE_DFS_MOVES || !(command instanceof MasterCommand.UseDfs)) {
            return state.step(command, index);
        }
        Step step = with(state, servers).step(command, index);
        return new Step(with(step.state(), state.servers()), step.answer());
    }

    private static MasterState with(MasterState state, TreePMap<String, Server> servers) {
        return new MasterState(
                state.cluster(),
                state.mapVersion(),
                state.rows(),
                servers,
                state.nextTable(),
                state.drops(),
                state.settings(),
                state.level(),
                state.dfs());
    }
}
