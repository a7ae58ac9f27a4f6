package cleave.server;

import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.server.outside.Masters;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.LeaderClock;
import cleave.wire.PublishRequest;
import cleave.wire.RangeLoad;
import cleave.wire.RangeTrouble;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Masters in memory that keep to the rules of the map: versions, epochs, incarnations, the source's word. A test can take them
 * down, lose their answers, and bring commands late. Confined to the test's thread.
 */
public final class FakeMasters implements Masters {
    public final TreeMap<Long, Row> rows = new TreeMap<>();
    public final TreeSet<Incarnation> live = new TreeSet<>();
    /** The fences that were armed last, also of those who died since. */
    public final TreeMap<Incarnation, Fence> fences = new TreeMap<>();

    public final List<String> commands = new ArrayList<>();
    /** The reports of heartbeats on ranges that could not be opened or served. */
    public final List<RangeTrouble> failureReports = new ArrayList<>();

    private final List<Late> late = new ArrayList<>();
    /** The server that is ordered to take over the rows whose owner is no live incarnation. */
    public String taker = "s1";

    public boolean down;
    /** The ids of DFSs that registrations and heartbeats named. */
    public final TreeSet<String> told = new TreeSet<>();
    /** The progress of openings, as the last heartbeat of each incarnation reported it. */
    public final TreeMap<Incarnation, Long> openingProgress = new TreeMap<>();
    /** The message that refuses heartbeats; empty if none does. */
    public String refusal = "";
    /** True if a server must name its DFS in heartbeats. */
    public boolean dfsNeeded;
    /** The answer to heartbeats about the leader's clock; null if it says nothing. */
    @Nullable
    Function<HeartbeatRequest, LeaderClock> clock;

    /** The cluster's feature level, as servers hear of it; with {@link FeatureLevels#FENCES} they confirm reads by fences. */
    int level = FeatureLevels.FENCES - 1;

    /** Of whichever server. */
    HeartbeatRequest lastHeartbeat = HeartbeatRequest.getDefaultInstance();

    int answersToLose;
    /** Run between a command whose answer is lost and its repetition. */
    Runnable whenAnswerIsLost = () -> {};

    private boolean commandsHeld;
    private boolean handoffsRefused;
    private long index = 100;

    public FakeMasters() {
        rows.put(Row.id(1, 0), new Row(Row.id(1, 0), KeyRange.ALL, null, null, 1, 1));
    }

    /** Commands are on their way until released. */
    void holdCommands() {
        commandsHeld = true;
    }

    void releaseCommands() {
        commandsHeld = false;
        List<Late> arriving = List.copyOf(late);
        late.clear();
        arriving.forEach(each -> each.arrival().run());
    }

    /** A command on its way, and the end of its sender's wait without an answer. */
    private record Late(Runnable arrival, Runnable giveUp) {}

    /** The sender of the oldest command on its way gives up waiting; the command still arrives, when the result is run. */
    Runnable giveUpOldest() {
        Late oldest = late.remove(0);
        oldest.giveUp().run();
        return oldest.arrival();
    }

    /** All senders give up as in {@link #giveUpOldest}, and no command ever arrives. */
    void giveUpAll() {
        List<Late> lost = List.copyOf(late);
        late.clear();
        lost.forEach(each -> each.giveUp().run());
    }

    void refuseHandoffs(boolean refused) {
        handoffsRefused = refused;
    }

    public void declareDead(Incarnation incarnation) {
        index++;
        live.remove(incarnation);
    }

    /** Gives the only row, as it is, to another. */
    void give(Incarnation owner) {
        Row row = onlyRow();
        index++;
        rows.put(row.id(), new Row(row.id(), row.range(), owner, row.manifest(), index, index));
    }

    public Row row(long id) {
        Row row = rows.get(id);
        if (row == null) {
            throw new AssertionError("no row " + id);
        }
        return row;
    }

    public Row onlyRow() {
        if (rows.size() != 1) {
            throw new AssertionError("rows: " + rows);
        }
        return rows.firstEntry().getValue();
    }

    @Override
    public CompletableFuture<RegisterReply> register(RegisterRequest request) {
        told.add(request.getDfs());
        return answered(() -> {
            live.removeIf(each -> each.server().equals(request.getServer()));
            Incarnation made = new Incarnation(request.getServer(), ++index);
            live.add(made);
            return RegisterReply.newBuilder()
                    .setStatus(status(ErrorCode.OK))
                    .setIncarnation(made.toWire())
                    .setLevel(level)
                    .build();
        });
    }

    @Override
    public CompletableFuture<CommandReply> publish(PublishRequest request) {
        return answered(() -> publishNow(request));
    }

    @Override
    public CompletableFuture<CommandReply> commitHandoff(HandoffRequest request) {
        return answered(() -> handoffNow(request));
    }

    @Override
    public CompletableFuture<CommandReply> armFence(cleave.wire.Fence request) {
        return answered(() -> {
            Fence fence = Fence.fromWire(request);
            if (!live.contains(fence.incarnation())) {
                return reply(ErrorCode.DEAD_INCARNATION, List.of());
            }
            Fence armed = fences.get(fence.incarnation());
            if (armed != null && armed.number() > fence.number()) {
                return reply(ErrorCode.STALE_VERSION, List.of());
            }
            fences.put(fence.incarnation(), fence);
            return reply(ErrorCode.OK, List.of());
        });
    }

    private <T> CompletableFuture<T> answered(Supplier<T> command) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable arrival = () -> {
            if (down) {
                answer.completeExceptionally(new IllegalStateException("masters are down"));
                return;
            }
            T result = command.get();
            if (answersToLose > 0) {
                answersToLose--;
                whenAnswerIsLost.run();
                answer.completeExceptionally(new IllegalStateException("the answer was lost"));
            } else {
                answer.complete(result);
            }
        };
        if (commandsHeld) {
            late.add(new Late(
                    arrival, () -> answer.completeExceptionally(new IllegalStateException("no answer in time"))));
        } else {
            arrival.run();
        }
        return answer;
    }

    CommandReply publishNow(PublishRequest request) {
        Incarnation by = Incarnation.fromWire(request.getIncarnation());
        Row row = rows.get(request.getRange());
        if (!live.contains(by)) {
            return reply(ErrorCode.DEAD_INCARNATION, List.of());
        }
        boolean mine = row != null && by.equals(row.owner());
        if (row != null && mine && request.getManifest().equals(row.manifest())) {
            return reply(ErrorCode.OK, List.of(row));
        }
        if (row == null || !mine || row.version() != request.getVersion()) {
            return reply(ErrorCode.STALE_VERSION, row == null ? List.of() : List.of(row));
        }
        commands.add("publish " + request.getManifest());
        Row next = new Row(row.id(), row.range(), by, request.getManifest(), ++index, row.epoch());
        rows.put(row.id(), next);
        return reply(ErrorCode.OK, List.of(next));
    }

    CommandReply handoffNow(HandoffRequest request) {
        Incarnation by = Incarnation.fromWire(request.getBy());
        if (!live.contains(by)) {
            return reply(ErrorCode.DEAD_INCARNATION, List.of());
        }
        for (Row row : rows.values()) {
            if (row.manifest() != null
                    && row.manifest().equals(request.getTargets(0).getManifest())) {
                return reply(ErrorCode.OK, List.copyOf(rows.values()));
            }
        }
        List<Row> sources = new ArrayList<>();
        for (HandoffSource each : request.getSourcesList()) {
            Row source = rows.get(each.getRange());
            if (source == null || source.version() != each.getVersion()) {
                return reply(ErrorCode.STALE_VERSION, List.copyOf(rows.values()));
            }
            Incarnation owner = source.owner();
            boolean word = each.getWord() && by.equals(owner);
            if ((!word && owner != null && live.contains(owner)) || (word && handoffsRefused)) {
                return reply(ErrorCode.INVALID, List.of());
            }
            Fence fence = word || owner == null ? null : fences.get(owner);
            if (fence != null && !request.getSealedList().contains(fence.toWire())) {
                return reply(ErrorCode.INVALID, List.of());
            }
            sources.add(source);
        }
        for (HandoffTarget target : request.getTargetsList()) {
            if (!live.contains(Incarnation.fromWire(target.getOwner()))) {
                return reply(ErrorCode.INVALID, List.of());
            }
        }
        index++;
        commands.add("handoff to " + request.getTargetsCount());
        sources.forEach(source -> rows.remove(source.id()));
        List<Row> made = new ArrayList<>();
        for (int i = 0; i < request.getTargetsCount(); i++) {
            HandoffTarget target = request.getTargets(i);
            KeyRange range = KeyRange.fromWire(target.getStart(), target.getEnd());
            if (range == null) {
                throw new AssertionError("no interval in " + target);
            }
            boolean keepsId = request.getTargetsCount() == 1 && sources.size() == 1;
            long id = keepsId ? sources.get(0).id() : Row.id(index, i);
            made.add(new Row(id, range, Incarnation.fromWire(target.getOwner()), target.getManifest(), index, index));
        }
        made.forEach(row -> rows.put(row.id(), row));
        checkTiling();
        return reply(ErrorCode.OK, made);
    }

    private void checkTiling() {
        List<Row> ordered = inKeyOrder();
        boolean tiles = ordered.get(0).range().start().equals(Key.MIN)
                && ordered.get(ordered.size() - 1).range().end() == null;
        for (int i = 1; i < ordered.size(); i++) {
            Key start = ordered.get(i).range().start();
            Key before = ordered.get(i - 1).range().end();
            tiles &= before != null && before.equals(start);
        }
        if (!tiles) {
            throw new AssertionError("the rows do not tile the key space: " + rows);
        }
    }

    List<Row> inKeyOrder() {
        return rows.values().stream()
                .sorted(java.util.Comparator.comparing(row -> row.range().start()))
                .toList();
    }

    Row rowAt(Key key) {
        return inKeyOrder().stream()
                .filter(row -> row.range().contains(key))
                .findFirst()
                .orElseThrow();
    }

    private static CommandReply reply(ErrorCode code, List<Row> rows) {
        CommandReply.Builder reply = CommandReply.newBuilder().setStatus(status(code));
        rows.forEach(row -> reply.addRows(row.toWire()));
        return reply.build();
    }

    private static Status status(ErrorCode code) {
        return Status.newBuilder().setCode(code).build();
    }

    @Override
    public HeartbeatStream heartbeats(HeartbeatListener listener) {
        return new HeartbeatStream() {
            private boolean closed;

            @Override
            public void send(HeartbeatRequest request) {
                if (closed) {
                    return;
                }
                if (down) {
                    closed = true;
                    listener.onBroken("masters are down");
                } else {
                    listener.onReply(answer(request));
                }
            }

            @Override
            public void close() {
                closed = true;
            }
        };
    }

    private HeartbeatReply answer(HeartbeatRequest request) {
        Incarnation by = Incarnation.fromWire(request.getIncarnation());
        if (!live.contains(by)) {
            return HeartbeatReply.newBuilder()
                    .setStatus(status(ErrorCode.DEAD_INCARNATION))
                    .build();
        }
        told.add(request.getDfs());
        lastHeartbeat = request;
        if (dfsNeeded && request.getDfs().isEmpty()) {
            return HeartbeatReply.newBuilder()
                    .setStatus(Status.newBuilder().setCode(ErrorCode.INVALID).setMessage("a DFS that it does not name"))
                    .build();
        }
        if (!refusal.isEmpty()) {
            return HeartbeatReply.newBuilder()
                    .setStatus(Status.newBuilder().setCode(ErrorCode.INVALID).setMessage(refusal))
                    .build();
        }
        failureReports.addAll(request.getTroublesList());
        Long before = openingProgress.put(by, request.getOpeningProgress());
        if (before != null && before > request.getOpeningProgress()) {
            throw new AssertionError(by + " falls back from " + before + " to " + request.getOpeningProgress());
        }
        HeartbeatReply.Builder reply =
                HeartbeatReply.newBuilder().setStatus(status(ErrorCode.OK)).setLevel(level);
        if (clock != null) {
            reply.setClock(clock.apply(request));
        }
        for (Row row : rows.values()) {
            boolean orphan = row.owner() == null || !live.contains(row.owner());
            boolean own = by.equals(row.owner()) && !serves(request, row);
            if (own || (orphan && by.server().equals(taker))) {
                reply.addOpen(row.toWire());
            }
        }
        fences.values().stream()
                .filter(fence -> !live.contains(fence.incarnation()))
                .forEach(fence -> reply.addFences(fence.toWire()));
        return reply.build();
    }

    private static boolean serves(HeartbeatRequest request, Row row) {
        for (RangeLoad load : request.getRangesList()) {
            if (load.getRange() == row.id() && load.getEpoch() == row.epoch()) {
                return true;
            }
        }
        return false;
    }
}
