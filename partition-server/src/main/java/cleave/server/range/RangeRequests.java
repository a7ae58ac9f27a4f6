package cleave.server.range;

import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.manifest.DroppedTables;
import cleave.model.table.Registry;
import cleave.server.metrics.Busy;
import cleave.server.outside.RangeStore;
import cleave.server.policy.LoadMeter;
import cleave.server.policy.WriteCheck;
import cleave.server.range.RangeState.Requests;
import cleave.server.state.Ownership;
import cleave.server.state.WriteOp;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.Status;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the requests to one range. On the caller's thread it refuses those for another owner or epoch and those beyond
 * the server's capacity; in the range's loop, those that exceed a rate limit. The others begin, or wait for the switch
 * of a handoff to end, depending on the phase.
 *
 * <p>{@link #write}, {@link #drop}, {@link #read}, {@link #scan} and {@link #status} are thread-safe and reply on the
 * caller's or the range's thread; everything else is confined to the range's loop.
 */
public final class RangeRequests {
    final Range.Outside outside;
    final Ownership ownership;
    final StoreFailures failures;
    final LoadMeter load;
    final Admission admission;
    private final StateMachine machine;
    private final RequestQueue<PendingRequest> waiting;
    private volatile DroppedTables dropped = DroppedTables.NONE;
    private @Nullable Served served;

    /** The parts that carry out requests. */
    private record Served(RangeStore store, Confirmer confirmer, Committer committer) {}

    RangeRequests(
            Range.Outside outside, Ownership ownership, LoadMeter load, StateMachine machine, StoreFailures failures) {
        this.outside = outside;
        this.ownership = ownership;
        this.load = load;
        this.machine = machine;
        this.failures = failures;
        this.admission = new Admission(outside);
        this.waiting = new RequestQueue<>(outside);
    }

    /** Notes that the range is opened. */
    void opened(RangeStore store, Confirmer confirmer, Committer committer) {
        outside.loop().assertInside();
        served = new Served(store, confirmer, committer);
        dropped(committer.dropped());
    }

    private Served served() {
        if (served == null) {
            throw new AssertionError(ownership + " is not opened");
        }
        return served;
    }

    // ---- On the caller's thread.

    public void write(WriteRequest request, Consumer<WriteReply> reply) {
        List<WriteOp> operations;
        try {
            operations = WriteCheck.parse(request);
        } catch (Damaged bad) {
            reply.accept(WriteReply.newBuilder().setStatus(invalid(bad)).build());
            return;
        }
        Change.Write write = new Change.Write(this, request, operations, reply);
        admit(write, request.getRoute(), write.key());
    }

    /**
     * Logs a drop; answers when it is durable, with the interval for which it is. Drops are rare, repeated until done,
     * and not refused under load.
     */
    public void drop(DropRequest request, Consumer<DropReply> reply) {
        Change.Drop drop = new Change.Drop(this, request, reply);
        if (request.getTable() == Registry.TABLE) {
            drop.refuse(ErrorCode.INVALID, "the registry of tables cannot be dropped");
        } else if (machine.isClosed() || !ownership.agreesWith(request.getRoute())) {
            drop.refuse(ErrorCode.NOT_OWNER);
        } else {
            admission.enter(drop);
            outside.loop().submit(drop);
        }
    }

    public void read(ReadRequest request, Consumer<ReadReply> reply) {
        Key key = Key.fromWire(request.getKey());
        Read read = new Read(this, request, key, reply);
        if (key.isEntity()) {
            admit(read, request.getRoute(), key);
        } else {
            read.refuse(ErrorCode.INVALID, "the key is not that of an entity: " + key);
        }
    }

    public void scan(ScanRequest request, Consumer<ScanReply> reply) {
        Scan scan;
        try {
            scan = new Scan(this, request, reply);
        } catch (Damaged bad) {
            reply.accept(ScanReply.newBuilder().setStatus(invalid(bad)).build());
            return;
        }
        admit(scan, request.getRoute(), scan.start());
    }

    private Status invalid(Damaged bad) {
        return status(ErrorCode.INVALID, String.valueOf(bad.getMessage()));
    }

    private void admit(PendingRequest request, Route route, Key key) {
        if (machine.isClosed() || !ownership.agreesWith(route) || !ownership.holds(key)) {
            request.refuse(ErrorCode.NOT_OWNER);
        } else if (dropped.contains(key.table())) {
            request.refuse(ErrorCode.TABLE_DROPPED); // Forever, so it needs no proof.
        } else {
            Busy full = admission.admit(request);
            if (full == null) {
                outside.loop().submit(request);
            } else {
                request.refuse(full);
            }
        }
    }

    // ---- In the loop.

    /** Begins a request, refuses it or, during the switch of a handoff, makes it wait until that is over. */
    void begin(PendingRequest request) {
        outside.loop().assertInside();
        if (machine.phase().requests() != Requests.WAIT) {
            request.proceed(availability(request));
        } else if (waiting.size() < outside.settings().queueRequests() && waiting.add(request)) {
            outside.metrics().requestsWaited.inc();
            waiting.expireLater();
        } else {
            request.refuse(Busy.SWITCH);
        }
    }

    private ErrorCode availability(PendingRequest request) {
        Requests what = machine.phase().requests();
        if (what == Requests.NOT_OWNER) {
            return ErrorCode.NOT_OWNER;
        }
        if (request.isLate(outside.loop().nanos())) {
            return ErrorCode.BUSY;
        }
        return what == Requests.BEGIN ? ErrorCode.OK : ErrorCode.UNAVAILABLE;
    }

    /** Ends the wait of a switch: waiting requests begin if the code is OK, otherwise they are refused. */
    void endWaiting(ErrorCode code) {
        outside.loop().assertInside();
        waiting.takeAll().forEach(request -> request.proceed(code));
    }

    /** Notes that these drops are durable. */
    void dropped(DroppedTables durable) {
        outside.loop().assertInside();
        dropped = durable;
    }

    // ---- For the requests themselves.

    /**
     * The code for a read or scan that is about to begin or to be refused: the given one, unless the key's table was
     * dropped since the request was admitted.
     */
    ErrorCode waited(PendingRequest request, Key key, ErrorCode code) {
        request.waited(outside.loop().nanos());
        return code == ErrorCode.OK && dropped.contains(key.table()) ? ErrorCode.TABLE_DROPPED : code;
    }

    RangeStore store() {
        return served().store();
    }

    Confirmer confirmer() {
        return served().confirmer();
    }

    Committer committer() {
        return served().committer();
    }

    long patienceNanos(int millis) {
        return millis <= 0 ? outside.settings().deadlineNanos() : millis * 1_000_000L;
    }

    /** The status of an answer, counted if it is a refusal. Thread-safe. */
    Status status(ErrorCode code, String message) {
        if (code == ErrorCode.OK) {
            return Status.getDefaultInstance();
        }
        outside.metrics().refused(code);
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }

    String textOf(ErrorCode code) {
        return switch (code) {
            case NOT_OWNER -> "this server does not serve the key under this range and epoch; it serves " + ownership;
            case TABLE_DROPPED -> "the table was dropped";
            case DAMAGED -> "a file of the range's checkpoint is damaged in the DFS: " + failures.damagedFiles();
            case UNAVAILABLE -> "the commit log was sealed or is being replaced, or the store failed";
            default -> code.name();
        };
    }
}
