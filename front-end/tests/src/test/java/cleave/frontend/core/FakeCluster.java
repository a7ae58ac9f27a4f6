package cleave.frontend.core;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.PartitionMap;
import cleave.model.Row;
import cleave.route.CallFailed;
import cleave.route.MapView;
import cleave.route.RangeTransport;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ServerInfo;
import cleave.wire.Status;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in one object: several servers that share the key space in ranges, with the faults that a test asks for. What they do with
 * entities is in {@link FakeEntities}. Thread-safe. What a front end knows of the map is published separately from what is so, so that it
 * can be stale.
 */
public final class FakeCluster implements RangeTransport, MapView {
    private final ReentrantLock lock = new ReentrantLock();
    private final FakeEntities entities = new FakeEntities();
    private final TreeMap<Key, Row> rows = new TreeMap<>();
    private final Set<Long> dropped = new TreeSet<>();
    private final Deque<Fault> faults = new ArrayDeque<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final List<ScanRequest> scans = new ArrayList<>();
    private volatile PartitionMap published = PartitionMap.EMPTY;
    private long version = 1;
    private long scansUntil = Long.MAX_VALUE;
    private @Nullable Runnable beforeWrite;

    /** The fate of the next call. */
    public enum Fault {
        /** Nothing: it is answered as it should be. */
        NONE(null),
        /** These are refusals. */
        BUSY(ErrorCode.BUSY),
        THROTTLED(ErrorCode.THROTTLED),
        UNAVAILABLE(ErrorCode.UNAVAILABLE),
        /** It is answered as no server should. */
        NONSENSE(ErrorCode.INVALID),
        /** It is executed, and the answer is lost with the connection. */
        LOST_ANSWER(null),
        /** It is not executed, and the connection breaks: nobody can know. */
        LOST_REQUEST(null),
        /** It is not executed, and never answered. */
        SILENCE(null),
        /** The server stops a scan before it has looked at anything. */
        NO_PROGRESS(null);

        private final @Nullable ErrorCode answer;

        Fault(@Nullable ErrorCode answer) {
            this.answer = answer;
        }
    }

    /** One range over everything, on server {@code s1}. */
    public FakeCluster() {
        rows.put(Key.MIN, new Row(Row.id(1, 0), KeyRange.ALL, incarnation("s1"), null, 1, 1));
        publish();
    }

    private static Incarnation incarnation(String server) {
        return new Incarnation(server, 7);
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    private FakeCluster locked(Runnable work) {
        return locked(() -> {
            work.run();
            return this;
        });
    }

    /** Splits ranges at these keys; the new upper parts go to servers {@code s2, s3, ...} in turn. Not published. */
    public FakeCluster splitAt(Key... keys) {
        return locked(() -> {
            for (Key key : keys) {
                Row old = row(key);
                version++;
                KeyRange low = new KeyRange(old.range().start(), key);
                KeyRange high = new KeyRange(key, old.range().end());
                rows.put(low.start(), new Row(Row.id(version, 0), low, old.owner(), null, version, version));
                Incarnation owner = incarnation("s" + (2 + (int) ((version - 2) % 3)));
                rows.put(key, new Row(Row.id(version, 1), high, owner, null, version, version));
            }
        });
    }

    /** Moves the range of a key to another server. Not published. */
    public FakeCluster move(Key key, String server) {
        return locked(() -> {
            Row old = row(key);
            version++;
            rows.put(old.range().start(), new Row(old.id(), old.range(), incarnation(server), null, version, version));
        });
    }

    private Row row(Key key) {
        return rows.floorEntry(key).getValue();
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
        });
        listeners.forEach(Runnable::run);
        return this;
    }

    /** The next calls fail like this, one after the other. */
    public FakeCluster failNext(Fault... next) {
        return locked(() -> {
            faults.addAll(List.of(next));
        });
    }

    /** Servers stop a scan after this number of examined entities. */
    public FakeCluster stopScansAfter(int entities) {
        this.entities.scannedMax = entities;
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
            entities.stored.keySet().removeIf(KeyRange.ofTable(table)::contains);
        });
    }

    /** Entities between these keys cannot be read. */
    public FakeCluster damage(Key from, Key until) {
        return locked(() -> {
            entities.damaged.add(new KeyRange(from, until));
        });
    }

    /** Stores an entity past all checks. */
    public void put(Key key, byte[] entity) {
        locked(() -> entities.stored.put(key, entity));
    }

    public void remove(Key key) {
        locked(() -> entities.stored.remove(key));
    }

    public byte @Nullable [] get(Key key) {
        return locked(() -> entities.stored.get(key));
    }

    public int count(KeyRange range) {
        return locked(() ->
                (int) entities.stored.keySet().stream().filter(range::contains).count());
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

    /** An answer that refuses, and names the row as it is now. */
    private interface Refused<A> {
        A reply(Status status, RangeRow current);
    }

    private <A> CompletableFuture<A> call(
            String kind, String address, Route route, Key key, Refused<A> refused, Function<Fault, A> work) {
        return locked(() -> {
            calls.add(kind + " " + address.substring("inproc:".length()));
            Fault fault = faults.isEmpty() ? Fault.NONE : faults.remove();
            Row row = row(key);
            String owner = "inproc:" + Objects.requireNonNull(row.owner()).server();
            boolean owns = row.id() == route.getRange() && row.epoch() == route.getEpoch() && address.equals(owner);
            ErrorCode refusal = fault.answer != null
                    ? fault.answer
                    : !owns ? ErrorCode.NOT_OWNER : dropped.contains(key.table()) ? ErrorCode.TABLE_DROPPED : null;
            if (fault == Fault.SILENCE) {
                return new CompletableFuture<>();
            }
            if (fault == Fault.LOST_REQUEST) {
                return CompletableFuture.failedFuture(new CallFailed(CallFailed.Fate.UNKNOWN, "cut"));
            }
            if (refusal != null) {
                RangeRow current = refusal == ErrorCode.NOT_OWNER ? row.toWire() : RangeRow.getDefaultInstance();
                return CompletableFuture.completedFuture(refused.reply(FakeEntities.status(refusal), current));
            }
            A reply = work.apply(fault);
            return fault == Fault.LOST_ANSWER
                    ? CompletableFuture.failedFuture(new CallFailed(CallFailed.Fate.UNKNOWN, "cut"))
                    : CompletableFuture.completedFuture(reply);
        });
    }

    @Override
    public CompletableFuture<WriteReply> write(String address, WriteRequest request, long timeoutNanos) {
        Runnable other = beforeWrite;
        beforeWrite = null;
        if (other != null) {
            other.run();
        }
        return call(
                "write",
                address,
                request.getRoute(),
                Key.fromWire(request.getOperations(0).getKey()),
                (status, current) -> WriteReply.newBuilder()
                        .setStatus(status)
                        .setCurrent(current)
                        .build(),
                fault -> entities.write(request.getOperationsList()));
    }

    @Override
    public CompletableFuture<ReadReply> read(String address, ReadRequest request, long timeoutNanos) {
        Key key = Key.fromWire(request.getKey());
        return call(
                "read",
                address,
                request.getRoute(),
                key,
                (status, current) -> ReadReply.newBuilder()
                        .setStatus(status)
                        .setCurrent(current)
                        .build(),
                fault -> entities.read(key));
    }

    @Override
    public CompletableFuture<ScanReply> scan(String address, ScanRequest request, long timeoutNanos) {
        return call(
                "scan",
                address,
                request.getRoute(),
                Key.fromWire(request.getStart()),
                (status, current) -> ScanReply.newBuilder()
                        .setStatus(status)
                        .setCurrent(current)
                        .build(),
                fault -> scan(request, fault));
    }

    private ScanReply scan(ScanRequest request, Fault fault) {
        scans.add(request);
        if (fault == Fault.NO_PROGRESS) {
            return ScanReply.newBuilder()
                    .setStatus(FakeEntities.status(ErrorCode.OK))
                    .setEnded(ScanEnd.STOPPED)
                    .setExaminedUntil(request.getStart())
                    .build();
        }
        return scans.size() > scansUntil
                ? ScanReply.newBuilder()
                        .setStatus(FakeEntities.status(ErrorCode.BUSY))
                        .build()
                : entities.scan(request, row(Key.fromWire(request.getStart())).range());
    }

    @Override
    public CompletableFuture<DropReply> drop(String address, DropRequest request, long timeoutNanos) {
        return CompletableFuture.failedFuture(new CallFailed(CallFailed.Fate.NOT_EXECUTED, "front ends send no drops"));
    }
}
