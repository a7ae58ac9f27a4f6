package cleave.frontend.core;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Limits;
import cleave.model.PartitionMap;
import cleave.model.Row;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.FilterCodec;
import cleave.model.entity.FilterEvaluator;
import cleave.model.entity.Projection;
import cleave.route.CallFailed;
import cleave.route.MapView;
import cleave.route.RangeTransport;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.KeyInterval;
import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ScanRow;
import cleave.wire.ServerInfo;
import cleave.wire.Status;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in one object: several servers that share the key space in ranges, held in one map of entities. Does what the
 * partition servers do, with the faults that a test asks for. Thread-safe. What a front end knows of the map is published
 * separately from what is so, so that it can be stale.
 */
public final class FakeCluster implements RangeTransport, MapView {
    private static final Incarnation NOBODY = new Incarnation("nobody", 1);

    private final ReentrantLock lock = new ReentrantLock();
    private final TreeMap<Key, byte[]> entities = new TreeMap<>();
    private final TreeMap<Key, Row> rows = new TreeMap<>();
    private final Set<Long> dropped = new TreeSet<>();
    private final List<KeyRange> damaged = new ArrayList<>();
    private final Deque<Fault> faults = new ArrayDeque<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final List<ScanRequest> scans = new ArrayList<>();
    private volatile PartitionMap published = PartitionMap.EMPTY;
    private long version = 1;
    private long lastTimestamp = 17_000_000_000_000_000L;
    private int scanEntitiesMax = Integer.MAX_VALUE;
    private long scansUntil = Long.MAX_VALUE;
    private @Nullable Runnable beforeWrite;

    /** The fate of the next call. */
    public enum Fault {
        /** Nothing: it is answered as it should be. */
        NONE,
        /** It is answered BUSY. */
        BUSY,
        /** It is answered THROTTLED. */
        THROTTLED,
        /** It is answered UNAVAILABLE. */
        UNAVAILABLE,
        /** It is executed, and the answer is lost with the connection. */
        LOST_ANSWER,
        /** It is not executed, and the connection breaks: nobody can know. */
        LOST_REQUEST,
        /** It is not executed, and never answered. */
        SILENCE,
        /** The server stops a scan before it has looked at anything. */
        NO_PROGRESS,
        /** It is answered as no server should. */
        NONSENSE
    }

    /** One range over everything, on server {@code s1}. */
    public FakeCluster() {
        rows.put(Key.MIN, new Row(Row.id(1, 0), KeyRange.ALL, incarnation("s1"), null, 1, 1));
        publish();
    }

    private static Incarnation incarnation(String server) {
        return new Incarnation(server, 7);
    }

    private <T> T locked(java.util.function.Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** Splits ranges at these keys; the new upper parts go to servers {@code s2, s3, ...} in turn. Not published. */
    public FakeCluster splitAt(Key... keys) {
        return locked(() -> {
            for (Key key : keys) {
                Row old = rows.floorEntry(key).getValue();
                version++;
                String server = "s" + (2 + (int) ((version - 2) % 3));
                Row low = new Row(
                        Row.id(version, 0),
                        new KeyRange(old.range().start(), key),
                        old.owner(),
                        null,
                        version,
                        version);
                Row high = new Row(
                        Row.id(version, 1),
                        new KeyRange(key, old.range().end()),
                        incarnation(server),
                        null,
                        version,
                        version);
                rows.put(old.range().start(), low);
                rows.put(key, high);
            }
            return this;
        });
    }

    /** Moves the range of a key to another server. Not published. */
    public FakeCluster move(Key key, String server) {
        return locked(() -> {
            Row old = rows.floorEntry(key).getValue();
            version++;
            rows.put(old.range().start(), new Row(old.id(), old.range(), incarnation(server), null, version, version));
            return this;
        });
    }

    /** Tells the front end how things are now. */
    public FakeCluster publish() {
        locked(() -> {
            MapUpdate.Builder update =
                    MapUpdate.newBuilder().setVersion(version).setWhole(true);
            for (Row row : rows.values()) {
                update.addRows(row.toWire());
            }
            for (String server : List.of("s1", "s2", "s3", "s4")) {
                update.addServers(ServerInfo.newBuilder()
                        .setIncarnation(incarnation(server).toWire())
                        .setAddress("inproc:" + server));
            }
            published = published.with(update.build());
            return published;
        });
        listeners.forEach(Runnable::run);
        return this;
    }

    /** The next calls fail like this, one after the other. */
    public FakeCluster failNext(Fault... next) {
        return locked(() -> {
            faults.addAll(List.of(next));
            return this;
        });
    }

    /** Servers stop a scan after this number of examined entities. */
    public FakeCluster stopScansAfter(int entities) {
        scanEntitiesMax = entities;
        return this;
    }

    /** After this number of scans, all further ones are answered BUSY. */
    public FakeCluster refuseScansAfter(int number) {
        scansUntil = number;
        return this;
    }

    /** Before the next write something else happens. */
    public FakeCluster betweenReadAndWrite(Runnable other) {
        beforeWrite = other;
        return this;
    }

    /** Logs a drop in every range at once. */
    public void drop(long table) {
        locked(() -> {
            dropped.add(table);
            KeyRange range = KeyRange.ofTable(table);
            entities.keySet().removeIf(range::contains);
            return null;
        });
    }

    /** Entities between these keys cannot be read. */
    public FakeCluster damage(Key from, Key until) {
        return locked(() -> {
            damaged.add(new KeyRange(from, until));
            return this;
        });
    }

    /** Stores an entity past all checks. */
    public void put(Key key, byte[] entity) {
        locked(() -> entities.put(key, entity));
    }

    public void remove(Key key) {
        locked(() -> entities.remove(key));
    }

    public byte @Nullable [] get(Key key) {
        return locked(() -> entities.get(key));
    }

    public int count(KeyRange range) {
        return locked(
                () -> (int) entities.keySet().stream().filter(range::contains).count());
    }

    /** The calls so far, as {@code scan s1}. */
    public List<String> calls() {
        return locked(() -> List.copyOf(calls));
    }

    public List<ScanRequest> scans() {
        return locked(() -> List.copyOf(scans));
    }

    public void forgetCalls() {
        locked(() -> {
            calls.clear();
            scans.clear();
            return null;
        });
    }

    @Override
    public PartitionMap current() {
        return published;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    // The servers.

    private interface Work<A> {
        A reply(Status status, @Nullable Row current);
    }

    private <A> CompletableFuture<A> call(
            String kind,
            String address,
            Route route,
            Key key,
            long table,
            Work<A> refused,
            java.util.function.Supplier<A> work) {
        return locked(() -> {
            calls.add(kind + " " + address.substring("inproc:".length()));
            Fault fault = faults.poll();
            if (fault == Fault.SILENCE) {
                return new CompletableFuture<>();
            }
            if (fault == Fault.LOST_REQUEST) {
                return CompletableFuture.failedFuture(new CallFailed(CallFailed.Fate.UNKNOWN, "cut"));
            }
            ErrorCode refusal = refusal(fault);
            if (refusal != null) {
                return CompletableFuture.completedFuture(refused.reply(status(refusal), null));
            }
            Row row = rows.floorEntry(key).getValue();
            boolean owns = row.id() == route.getRange()
                    && row.epoch() == route.getEpoch()
                    && address.equals("inproc:" + (row.owner() == null ? NOBODY : row.owner()).server());
            if (!owns) {
                return CompletableFuture.completedFuture(refused.reply(status(ErrorCode.NOT_OWNER), row));
            }
            if (dropped.contains(table)) {
                return CompletableFuture.completedFuture(refused.reply(status(ErrorCode.TABLE_DROPPED), null));
            }
            if (fault == Fault.NO_PROGRESS) {
                faults.push(Fault.NO_PROGRESS);
            }
            A reply = work.get();
            if (fault == Fault.NO_PROGRESS) {
                faults.remove(Fault.NO_PROGRESS);
            }
            return fault == Fault.LOST_ANSWER
                    ? CompletableFuture.failedFuture(new CallFailed(CallFailed.Fate.UNKNOWN, "cut"))
                    : CompletableFuture.completedFuture(reply);
        });
    }

    private static @Nullable ErrorCode refusal(@Nullable Fault fault) {
        return fault == Fault.BUSY
                ? ErrorCode.BUSY
                : fault == Fault.UNAVAILABLE
                        ? ErrorCode.UNAVAILABLE
                        : fault == Fault.THROTTLED
                                ? ErrorCode.THROTTLED
                                : fault == Fault.NONSENSE ? ErrorCode.INVALID : null;
    }

    private static Status status(ErrorCode code) {
        return Status.newBuilder().setCode(code).build();
    }

    private static RangeRow wire(@Nullable Row row) {
        return row == null ? RangeRow.getDefaultInstance() : row.toWire();
    }

    @Override
    public CompletableFuture<WriteReply> write(String address, WriteRequest request, long timeoutNanos) {
        Key key = Key.fromWire(request.getOperations(0).getKey());
        Runnable other = beforeWrite;
        beforeWrite = null;
        if (other != null) {
            other.run();
        }
        return call(
                "write",
                address,
                request.getRoute(),
                key,
                key.table(),
                (status, current) -> WriteReply.newBuilder()
                        .setStatus(status)
                        .setCurrent(wire(current))
                        .build(),
                () -> apply(request.getOperationsList()));
    }

    private WriteReply apply(List<WriteOperation> operations) {
        Map<Key, byte[]> changed = new TreeMap<>();
        WriteReply.Builder reply = WriteReply.newBuilder().setStatus(status(ErrorCode.OK));
        for (int i = 0; i < operations.size(); i++) {
            WriteOperation operation = operations.get(i);
            Key key = Key.fromWire(operation.getKey());
            byte[] stored = entities.get(key);
            ErrorCode refusal = refusal(operation, stored);
            long timestamp = operation.getKind() == WriteKind.DELETE ? 0 : ++lastTimestamp;
            byte[] result = refusal == ErrorCode.OK ? result(operation, stored, timestamp) : new byte[0];
            if (result.length > 0) {
                refusal = refusal(key, result);
            }
            if (refusal != ErrorCode.OK) {
                return WriteReply.newBuilder()
                        .setStatus(status(refusal))
                        .setFailedOperation(i)
                        .build();
            }
            changed.put(key, result);
            reply.addTimestamps(timestamp);
        }
        changed.forEach((key, entity) -> {
            if (entity.length == 0) {
                entities.remove(key);
            } else {
                entities.put(key, entity);
            }
        });
        return reply.build();
    }

    private static ErrorCode refusal(WriteOperation operation, byte @Nullable [] stored) {
        switch (operation.getKind()) {
            case INSERT -> {
                return stored == null ? ErrorCode.OK : ErrorCode.ALREADY_EXISTS;
            }
            case INSERT_OR_REPLACE, INSERT_OR_MERGE -> {
                return ErrorCode.OK;
            }
            default -> {
                if (stored == null) {
                    return ErrorCode.NOT_FOUND;
                }
                boolean met = !operation.hasIfMatch() || operation.getIfMatch() == EntityCodec.timestamp(stored);
                return met ? ErrorCode.OK : ErrorCode.CONDITION_FAILED;
            }
        }
    }

    private static ErrorCode refusal(Key key, byte[] result) {
        return EntityCodec.size(key, result) > Limits.ENTITY_BYTES_MAX
                ? ErrorCode.ENTITY_TOO_LARGE
                : EntityCodec.propertyCount(result) > Limits.PROPERTIES_MAX
                        ? ErrorCode.TOO_MANY_PROPERTIES
                        : ErrorCode.OK;
    }

    private static byte[] result(WriteOperation operation, byte @Nullable [] stored, long timestamp) {
        if (operation.getKind() == WriteKind.DELETE) {
            return new byte[0];
        }
        boolean merges = operation.getKind() == WriteKind.MERGE || operation.getKind() == WriteKind.INSERT_OR_MERGE;
        byte[] given = operation.getEntity().toByteArray();
        byte[] result = merges && stored != null ? EntityCodec.merge(stored, given) : given;
        EntityCodec.stampTimestamp(result, timestamp);
        return result;
    }

    @Override
    public CompletableFuture<ReadReply> read(String address, ReadRequest request, long timeoutNanos) {
        Key key = Key.fromWire(request.getKey());
        return call(
                "read",
                address,
                request.getRoute(),
                key,
                key.table(),
                (status, current) -> ReadReply.newBuilder()
                        .setStatus(status)
                        .setCurrent(wire(current))
                        .build(),
                () -> {
                    byte[] stored = entities.get(key);
                    return stored == null
                            ? ReadReply.newBuilder()
                                    .setStatus(status(ErrorCode.NOT_FOUND))
                                    .build()
                            : ReadReply.newBuilder()
                                    .setStatus(status(ErrorCode.OK))
                                    .setEntity(ByteString.copyFrom(stored))
                                    .build();
                });
    }

    @Override
    public CompletableFuture<ScanReply> scan(String address, ScanRequest request, long timeoutNanos) {
        Key start = Key.fromWire(request.getStart());
        return call(
                "scan",
                address,
                request.getRoute(),
                start,
                start.table(),
                (status, current) -> ScanReply.newBuilder()
                        .setStatus(status)
                        .setCurrent(wire(current))
                        .build(),
                () -> scan(request));
    }

    private void passOver(ScanRequest request, ScanReply.Builder reply, KeyRange examined) {
        for (KeyRange each : request.getSalvage() ? damaged : List.<KeyRange>of()) {
            KeyRange here = each.intersection(examined);
            if (here != null) {
                reply.addUnreadable(
                        KeyInterval.newBuilder().setStart(here.startToWire()).setEnd(here.endToWire()));
            }
        }
    }

    private ScanReply scan(ScanRequest request) {
        scans.add(request);
        Key start = Key.fromWire(request.getStart());
        ScanReply.Builder reply = ScanReply.newBuilder().setStatus(status(ErrorCode.OK));
        if (faults.peek() == Fault.NO_PROGRESS) {
            return reply.setEnded(ScanEnd.STOPPED)
                    .setExaminedUntil(request.getStart())
                    .build();
        }
        if (scans.size() > scansUntil) {
            return ScanReply.newBuilder().setStatus(status(ErrorCode.BUSY)).build();
        }
        KeyRange asked = Objects.requireNonNull(KeyRange.fromWire(request.getStart(), request.getEnd()));
        Row row = rows.floorEntry(start).getValue();
        KeyRange within = Objects.requireNonNull(asked.intersection(row.range()));
        boolean rangeEndsFirst = row.range().end() != null
                && (asked.end() == null || row.range().end().compareTo(asked.end()) < 0);
        int examined = 0;
        Key behindLast = within.start();
        for (Map.Entry<Key, byte[]> entry :
                entities.tailMap(within.start(), true).entrySet()) {
            if (!within.contains(entry.getKey())) {
                break;
            }
            if (damaged.stream().anyMatch(each -> each.contains(entry.getKey()))) {
                if (request.getSalvage()) {
                    continue;
                }
                return examined == 0
                        ? ScanReply.newBuilder()
                                .setStatus(status(ErrorCode.DAMAGED))
                                .build()
                        : reply.setEnded(ScanEnd.STOPPED)
                                .setExaminedUntil(behindLast.toWire())
                                .setExamined(examined)
                                .build();
            }
            behindLast = entry.getKey().next();
            if (examined == scanEntitiesMax || reply.getRowsCount() == request.getLimit()) {
                passOver(request, reply, new KeyRange(within.start(), entry.getKey()));
                return reply.setEnded(ScanEnd.STOPPED)
                        .setExaminedUntil(entry.getKey().toWire())
                        .setExamined(examined)
                        .build();
            }
            examined++;
            if (!request.hasFilter()
                    || FilterEvaluator.matches(
                            FilterCodec.fromWire(request.getFilter()), entry.getKey(), entry.getValue())) {
                byte[] entity = Projection.of(request.getSelectList()).apply(entry.getValue());
                reply.addRows(
                        ScanRow.newBuilder().setKey(entry.getKey().toWire()).setEntity(ByteString.copyFrom(entity)));
            }
        }
        passOver(request, reply, within);
        return reply.setEnded(rangeEndsFirst ? ScanEnd.END_OF_RANGE : ScanEnd.END_OF_SCAN)
                .setExaminedUntil(within.endToWire())
                .setExamined(examined)
                .build();
    }

    @Override
    public CompletableFuture<DropReply> drop(String address, DropRequest request, long timeoutNanos) {
        return CompletableFuture.failedFuture(new CallFailed(CallFailed.Fate.NOT_EXECUTED, "front ends send no drops"));
    }
}
