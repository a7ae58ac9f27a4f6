package cleave.master.core;

import static cleave.master.state.AnswerCodec.status;

import cleave.master.servers.RangeCalls;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.wire.DropReply;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOrderSource;
import cleave.wire.HandoffOrderTarget;
import cleave.wire.HandoffOutcome;
import cleave.wire.ReadReply;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ScanRow;
import cleave.wire.Status;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The partition servers' side: a registry, and ranges as the shared log has them, which log drops and carry handoffs out. Confined to one
 * test, which can watch each call, and have calls fail before or after they took effect.
 */
public final class FakeRanges implements RangeCalls {
    private final SharedLog log;
    private final TreeMap<Key, byte[]> registry = new TreeMap<>();
    private final TreeMap<Long, List<KeyRange>> dropped = new TreeMap<>();
    private final List<String> calls = new ArrayList<>();
    private final List<HandoffOrder> orders = new ArrayList<>();
    private final TreeMap<Long, CompletableFuture<HandoffOutcome>> held = new TreeMap<>();
    private final List<Runnable> pages = new ArrayList<>();
    private final TreeSet<String> refusing = new TreeSet<>();
    private boolean holding;
    private long clock = 1_000;
    private int failures;
    private Status failure = Status.getDefaultInstance();
    private boolean executes;
    private Runnable beforeCall = () -> {};
    /** Hears of each event, in words. */
    Consumer<String> listener = text -> {};

    public FakeRanges(SharedLog log) {
        this.log = log;
    }

    public List<String> calls() {
        return calls;
    }

    /** Runs before each call is carried out. */
    public void beforeCall(Runnable action) {
        beforeCall = action;
    }

    /** The next calls fail; whether they take effect all the same is the test's choice. */
    public void fail(int times, ErrorCode code, boolean executeAnyway) {
        failures = times;
        failure = status(code, "as the test wants");
        executes = executeAnyway;
    }

    public void create(String account, String name, long id) {
        put(Registry.key(account, name), new Registry(id, name, false).toEntity());
    }

    private void put(Key key, Entity entity) {
        registry.put(key, EntityCodec.encode(new Entity(++clock, entity.properties())));
    }

    @Nullable
    public Registry table(String account, String name) {
        byte[] entity = registry.get(Registry.key(account, name));
        return entity == null ? null : Registry.of(EntityCodec.decode(entity));
    }

    /** Makes the stored entry unreadable. */
    public void damage(String account, String name) {
        registry.put(Registry.key(account, name), new byte[] {1, 2, 3});
    }

    /** True if ranges have confirmed the drop over all the table's keys. */
    public boolean isDroppedEverywhere(long table) {
        TreeSet<Key> starts = new TreeSet<>();
        TreeMap<Key, @Nullable Key> ends = new TreeMap<>();
        for (KeyRange range : dropped.getOrDefault(table, List.of())) {
            starts.add(range.start());
            ends.put(range.start(), range.end());
        }
        @Nullable Key at = Key.beforeTable(table);
        Key last = Key.beforeTable(table + 1);
        while (at != null && at.compareTo(last) < 0) {
            Key start = starts.floor(at);
            @Nullable Key end = start == null ? Key.MIN : ends.get(start);
            if (end != null && end.compareTo(at) <= 0) {
                return false;
            }
            at = end;
        }
        return true;
    }

    @Override
    public CompletableFuture<ReadReply> read(Key key, long deadlineNanos) {
        begin("read");
        Status refusal = refusal();
        if (refusal != null) {
            return done(ReadReply.newBuilder().setStatus(refusal).build());
        }
        byte[] entity = registry.get(key);
        return done(
                entity == null
                        ? ReadReply.newBuilder()
                                .setStatus(status(ErrorCode.NOT_FOUND, ""))
                                .build()
                        : ReadReply.newBuilder()
                                .setEntity(ByteString.copyFrom(entity))
                                .build());
    }

    /** While calls are held, a page that was read is answered later. */
    @Override
    public CompletableFuture<ScanReply> scan(ScanRequest.Builder request, long deadlineNanos) {
        begin("scan " + Key.fromWire(request.getStart()));
        Status refusal = refusal();
        ScanReply.Builder reply = ScanReply.newBuilder();
        if (refusal != null) {
            reply.setStatus(refusal);
        }
        for (var each : registry.tailMap(Key.fromWire(request.getStart())).entrySet()) {
            if (reply.getRowsCount() == request.getLimit()) {
                reply.setExaminedUntil(each.getKey().toWire());
                break;
            }
            reply.addRows(ScanRow.newBuilder()
                    .setKey(each.getKey().toWire())
                    .setEntity(ByteString.copyFrom(each.getValue())));
        }
        CompletableFuture<ScanReply> answer = new CompletableFuture<>();
        if (holding) {
            pages.add(() -> answer.complete(reply.build()));
        } else {
            answer.complete(reply.build());
        }
        return answer;
    }

    /** Answers the pages that were read while calls were held. */
    public void answerPages() {
        List.copyOf(pages).forEach(Runnable::run);
        pages.clear();
    }

    @Override
    public CompletableFuture<WriteReply> write(WriteOperation operation, long deadlineNanos) {
        begin(operation.getKind().name().toLowerCase(java.util.Locale.ROOT));
        Status refusal = refusal();
        if (refusal != null && !executes) {
            return done(WriteReply.newBuilder().setStatus(refusal).build());
        }
        ErrorCode code = execute(operation);
        return done(WriteReply.newBuilder()
                .setStatus(refusal == null ? status(code, "") : refusal)
                .build());
    }

    private ErrorCode execute(WriteOperation operation) {
        Key key = Key.fromWire(operation.getKey());
        byte[] stored = registry.get(key);
        if (stored == null) {
            return ErrorCode.NOT_FOUND;
        }
        if (operation.hasIfMatch() && operation.getIfMatch() != EntityCodec.timestamp(stored)) {
            return ErrorCode.CONDITION_FAILED;
        }
        if (operation.getKind() == WriteKind.DELETE) {
            registry.remove(key);
        } else {
            byte[] merged = EntityCodec.merge(stored, operation.getEntity().toByteArray());
            put(key, EntityCodec.decode(merged));
        }
        return ErrorCode.OK;
    }

    @Override
    public CompletableFuture<DropReply> drop(Key at, long table, long deadlineNanos) {
        begin("drop " + at);
        Status refusal = refusal();
        if (refusal != null && !executes) {
            return done(DropReply.newBuilder().setStatus(refusal).build());
        }
        Row row = log.state().rows().at(at);
        if (row == null) {
            return done(DropReply.newBuilder()
                    .setStatus(status(ErrorCode.UNAVAILABLE, ""))
                    .build());
        }
        dropped.computeIfAbsent(table, id -> new ArrayList<>()).add(row.range());
        return done(
                refusal != null
                        ? DropReply.newBuilder().setStatus(refusal).build()
                        : DropReply.newBuilder()
                                .setStart(row.range().startToWire())
                                .setEnd(row.range().endToWire())
                                .build());
    }

    @Override
    public CompletableFuture<HandoffOutcome> handoff(String address, HandoffOrder order, long deadlineNanos) {
        begin("handoff " + address);
        orders.add(order);
        listener.accept("call: handoff " + address + ": " + shown(order));
        CompletableFuture<HandoffOutcome> held = holding ? new CompletableFuture<>() : null;
        if (held != null) {
            this.held.put(order.getHandoff(), held);
            return held;
        }
        Status refusal = refusal();
        return refusal != null && !executes ? done(outcome(refusal, List.of())) : done(carriedOut(order, refusal));
    }

    @Override
    public CompletableFuture<HandoffOutcome> cancelHandoff(String address, HandoffCancel cancel, long deadlineNanos) {
        begin("cancel " + address);
        CompletableFuture<HandoffOutcome> waiting = held.remove(cancel.getHandoff());
        HandoffOutcome outcome =
                outcome(status(waiting == null ? ErrorCode.NOT_FOUND : ErrorCode.UNAVAILABLE, "cancelled"), List.of());
        if (waiting != null) {
            waiting.complete(outcome);
        }
        return done(outcome);
    }

    /** From now on handoffs are only begun; the test ends them. */
    public void hold(boolean hold) {
        holding = hold;
    }

    /** The call of a handoff that was begun is broken. */
    public void cut(long handoff) {
        CompletableFuture<HandoffOutcome> waiting = held.remove(handoff);
        if (waiting != null) {
            waiting.completeExceptionally(new IllegalStateException("cut"));
        }
    }

    /** The calls of handoffs that were begun and not ended, by number. */
    public Map<Long, CompletableFuture<HandoffOutcome>> held() {
        return held;
    }

    public List<HandoffOrder> orders() {
        return orders;
    }

    /** Commits what an order says; the answer is the map's, or the one given. */
    public HandoffOutcome carriedOut(HandoffOrder order, @Nullable Status answer) {
        List<SourceRow> sources = new ArrayList<>();
        @Nullable Incarnation owner = null;
        for (HandoffOrderSource source : order.getSourcesList()) {
            Row row = log.state().rows().row(source.getRoute().getRange());
            owner = row == null ? null : row.owner();
            sources.add(new SourceRow(source.getRoute().getRange(), source.getVersion(), true));
        }
        if (owner == null) {
            return outcome(status(ErrorCode.NOT_OWNER, ""), List.of());
        }
        List<TargetRow> targets = new ArrayList<>();
        for (HandoffOrderTarget target : order.getTargetsList()) {
            KeyRange range = KeyRange.fromWire(target.getStart(), target.getEnd());
            String manifest = "m/" + order.getHandoff() + "-" + targets.size();
            if (range == null || target.getAddress().isEmpty()) {
                throw new AssertionError(target);
            }
            targets.add(new TargetRow(range, Incarnation.fromWire(target.getOwner()), manifest));
        }
        MasterAnswer committed = log.apply(new Handoff(owner, sources, targets), "committed");
        return outcome(answer == null ? status(committed.code(), committed.message()) : answer, committed.rows());
    }

    public static HandoffOutcome outcome(Status status, List<Row> rows) {
        return HandoffOutcome.newBuilder()
                .setStatus(status)
                .addAllRows(rows.stream().map(Row::toWire).toList())
                .setSwitchMicros(7_000)
                .build();
    }

    private String shown(HandoffOrder order) {
        List<String> targets = order.getTargetsList().stream()
                .map(each ->
                        KeyRange.fromWire(each.getStart(), each.getEnd()) + " " + Incarnation.fromWire(each.getOwner()))
                .toList();
        return order.getSourcesList().stream()
                        .map(each -> Row.idText(each.getRoute().getRange()))
                        .toList() + " -> " + String.join(", ", targets);
    }

    private void begin(String call) {
        calls.add(call);
        if (!call.startsWith("handoff")) {
            listener.accept("call: " + call);
        }
        beforeCall.run();
    }

    private @Nullable Status refusal() {
        if (failures == 0) {
            return null;
        }
        failures--;
        return failure;
    }

    private static <T> CompletableFuture<T> done(T reply) {
        return CompletableFuture.completedFuture(reply);
    }

    /** Nobody listens at this address any more. */
    public void refuseAt(String address) {
        refusing.add(address);
    }

    @Override
    public CompletableFuture<Boolean> refuses(String address) {
        return CompletableFuture.completedFuture(refusing.contains(address));
    }
}
