package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.bookkeeper.state.AppendVerdict;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.policy.FenceTimes;
import cleave.dfs.policy.NameTrust;
import cleave.dfs.policy.NameTrust.Moment;
import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.jspecify.annotations.Nullable;

/**
 * The writer of one ledger. Thread-safe.
 *
 * <p>A barrier is an entry without bytes. Nothing less is refused by a fence: a ledger's {@code force} succeeds after it was sealed, and an
 * announcement of what is confirmed is not checked at all. An append that is under way cannot stand for a barrier, because it may have
 * reached the bookies before the barrier was asked for. A seal needs two fenced bookies of three, and an entry two that accept it, so one
 * bookie saw the entry first. That holds for entries that no bookie has synced as well, for each logs and syncs the fence before it answers.
 */
final class LedgerFile implements DfsFile {
    /** Larger appends are several entries: a bookie refuses entries above 5 MiB, and smaller ones share its journal more evenly. */
    static final int ENTRY_BYTES_MAX = 1 << 20;
    /** A seal reads all entries of a deferred ledger that its writer does not know to be synced, thousands in a tenth of a second. */
    private static final int BARRIERS_UNSYNCED_MAX = 1 << 12;

    private final String path;
    private final WriteHandle ledger;
    private final Outside outside;
    /** Guards the order of entries, {@link #appended} and {@link #lastAdded}. */
    private final ReentrantLock order = new ReentrantLock();
    /** Why this process has ended the handle; null if it has not. */
    private final AtomicReference<Reason> ending = new AtomicReference<>();
    /** Why the first append that failed did. */
    private final AtomicReference<CompletableFuture<Reason>> verdict = new AtomicReference<>();

    private long appended;
    /** The bookies' answer to the last entry. */
    private CompletableFuture<?> lastAdded = CompletableFuture.completedFuture(null);

    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong barriers = new AtomicLong();
    /** That the ledger is closed, by this process or another. */
    private volatile boolean isKnownClosed;
    /** That another process has ended the file, or it does not exist any more. */
    private volatile boolean isLost;

    /** Guards what is below. */
    private final ReentrantLock trusting = new ReentrantLock();

    private final NameTrust trust;
    /** The bookies' reports that are not passed on yet, in order. */
    private final ArrayDeque<Report> reports = new ArrayDeque<>();

    private boolean isPassingOn;
    private boolean isLookingUp;

    /** The bookies' acknowledgement of a length, as it was seen at a moment. */
    private record Report(long end, Moment seen, CompletableFuture<Long> result) {}

    /** The DFS, as its files need it. */
    interface Outside {
        Space space();

        /** The newest name of a path; fails if it cannot be learnt. */
        CompletableFuture<Name> name(String path);

        Moment now();

        DfsMetrics metrics();

        /** Nothing is under way any more, and nothing will be appended from here. */
        void closed(LedgerFile file);
    }

    /** @param created when the creation of its name was sent, or before */
    LedgerFile(String path, WriteHandle ledger, FenceTimes fences, Moment created, Outside outside) {
        this.path = path;
        this.ledger = ledger;
        this.trust = new NameTrust(fences, created);
        this.outside = outside;
    }

    @Override
    public String path() {
        return path;
    }

    long ledgerId() {
        return ledger.getId();
    }

    WriteHandle ledger() {
        return ledger;
    }

    /** The length known to be acknowledged. */
    long acknowledged() {
        return acknowledged.get();
    }

    boolean isKnownClosed() {
        return isKnownClosed;
    }

    /** Somebody else may have closed the ledger, with more in it than was acknowledged here. */
    void knowClosed() {
        isKnownClosed = true;
    }

    @Override
    public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
        if (isRefused(purpose)) {
            ending.compareAndSet(null, Reason.NO_SPACE);
        }
        long began = outside.now().nanos();
        CompletableFuture<Long> acknowledgement = add(bytes);
        acknowledgement.whenComplete((length, failure) -> {
            if (failure == null) {
                outside.metrics().clientAppend(bytes.size(), outside.now().nanos() - began);
            }
        });
        return acknowledgement;
    }

    private boolean isRefused(Purpose purpose) {
        return switch (purpose) {
            case ESSENTIAL, SERVING -> false;
            case CHECKPOINT -> outside.space() == Space.FULL;
            case WRITE -> outside.space() != Space.ROOMY;
        };
    }

    @Override
    public CompletableFuture<Void> barrier() {
        return add(ByteString.EMPTY).thenAccept(length -> {
            outside.metrics().clientBarrier();
            if (barriers.incrementAndGet() % BARRIERS_UNSYNCED_MAX == 0) {
                ledger.force();
            }
        });
    }

    private CompletableFuture<Long> add(ByteString bytes) {
        Reason ended = ending.get();
        if (ended != null) {
            return Failures.failed(ended, path);
        }
        long end;
        CompletableFuture<Long> last;
        order.lock();
        try {
            last = addPieces(bytes);
            lastAdded = last;
            appended += bytes.size();
            end = appended;
        } finally {
            order.unlock();
        }
        CompletableFuture<Long> result = new CompletableFuture<>();
        last.whenComplete((entry, failure) -> {
            if (failure != null) {
                fail(result, failure);
            } else {
                // The moment is now, and not when it was sent: what counts is whether the fence was remembered when the
                // bookies accepted the entry.
                report(new Report(end, outside.now(), result));
            }
        });
        return result;
    }

    /** The ledger acknowledges in order, so the last piece stands for all. */
    private CompletableFuture<Long> addPieces(ByteString bytes) {
        int from = 0;
        while (bytes.size() - from > ENTRY_BYTES_MAX) {
            ledger.appendAsync(entry(bytes.substring(from, from + ENTRY_BYTES_MAX)));
            from += ENTRY_BYTES_MAX;
        }
        return ledger.appendAsync(entry(bytes.substring(from)));
    }

    private static ByteBuf entry(ByteString bytes) {
        return Unpooled.wrappedBuffer(bytes.asReadOnlyByteBufferList().toArray(ByteBuffer[]::new));
    }

    /** The first append that fails asks why, for all. */
    private void fail(CompletableFuture<Long> result, Throwable failure) {
        CompletableFuture<Reason> asked = new CompletableFuture<>();
        CompletableFuture<Reason> why =
                verdict.compareAndSet(null, asked) ? asked : Objects.requireNonNull(verdict.get());
        why.thenAccept(reason -> result.completeExceptionally(
                new DfsException(reason, path + ": " + Failures.cause(failure), Failures.cause(failure))));
        if (why == asked) {
            judge(asked);
        }
    }

    private void judge(CompletableFuture<Reason> asked) {
        Reason ended = ending.get();
        if (ended != null) {
            asked.complete(ended);
            return;
        }
        outside.name(path).whenComplete((name, unknown) -> {
            asked.complete(AppendVerdict.of(ending.get(), name, ledgerId()));
            if (unknown == null) {
                loseIfOver(name);
            }
        });
    }

    /** The process that ended the file sees to its ledger, so nothing is left to do here but to close the handle. */
    void loseIfOver(Name name) {
        boolean isOver = name.kind() != Name.Kind.WRITTEN || name.ledger() != ledgerId();
        if (isOver) {
            isLost = true;
            end(AppendVerdict.of(null, name, ledgerId()));
            close();
        }
    }

    boolean isLost() {
        return isLost;
    }

    /** Why appends fail without asking; null as long as they do not. */
    @Nullable
    Reason ending() {
        return ending.get();
    }

    /** Nothing is appended any more. What comes first stays the reason. */
    void end(Reason reason) {
        ending.compareAndSet(null, reason);
    }

    /**
     * Ends the handle and, for which no bookie has to be fenced, closes its ledger: this is the only writer. Completes when the ledger takes no more
     * from here; the ledger's metadata show whether ZooKeeper knows.
     */
    CompletableFuture<Void> closeLedger(Reason reason) {
        end(reason);
        return ledger.closeAsync().exceptionally(failure -> null);
    }

    // ---- what is believed ----

    private void report(Report report) {
        trusting.lock();
        try {
            reports.add(report);
        } finally {
            trusting.unlock();
        }
        passOn();
    }

    /** One thread does it at a time, so that the order is kept. */
    private void passOn() {
        trusting.lock();
        try {
            if (isPassingOn) {
                return;
            }
            isPassingOn = true;
        } finally {
            trusting.unlock();
        }
        for (Report next = nextBelieved(); next != null; next = nextBelieved()) {
            acknowledged.accumulateAndGet(next.end(), Math::max);
            next.result().complete(next.end());
        }
    }

    private @Nullable Report nextBelieved() {
        trusting.lock();
        try {
            Report next = reports.peek();
            if (next != null && trust.believes(next.seen())) {
                return reports.remove();
            }
            isPassingOn = false;
            if (next == null || isLookingUp) {
                return null;
            }
            isLookingUp = true;
        } finally {
            trusting.unlock();
        }
        lookUp();
        return null;
    }

    /** Looks the name up early, so that appends need not wait for it. A writer that slept through a seal learns of it here. */
    void confirm() {
        trusting.lock();
        try {
            if (isLookingUp || !trust.isDue(outside.now())) {
                return;
            }
            isLookingUp = true;
        } finally {
            trusting.unlock();
        }
        lookUp();
    }

    private void lookUp() {
        Moment sent = outside.now();
        outside.name(path).whenComplete((name, unknown) -> {
            boolean exists = unknown == null && name.isFile() && name.ledger() == ledgerId();
            lookedUp(exists ? sent : null);
            if (unknown == null) {
                loseIfOver(name);
            }
            if (exists || (unknown != null && Failures.is(unknown, Reason.UNAVAILABLE))) {
                passOn(); // What is still in doubt is looked up again.
            } else {
                disbelieve(unknown == null ? Reason.DELETED : Reason.BROKEN);
            }
        });
    }

    /** @param proof when a question was sent to which the answer is that the file exists; null if it is not */
    private void lookedUp(@Nullable Moment proof) {
        trusting.lock();
        try {
            isLookingUp = false;
            if (proof != null) {
                trust.exists(proof);
            }
        } finally {
            trusting.unlock();
        }
    }

    /** The bookies may have forgotten that the file was sealed: what they reported may be in no sealed length. */
    private void disbelieve(Reason reason) {
        List<Report> all;
        trusting.lock();
        try {
            all = List.copyOf(reports);
            reports.clear();
        } finally {
            trusting.unlock();
        }
        all.forEach(report -> report.result()
                .completeExceptionally(new DfsException(reason, path + " does not exist as far as is known")));
    }

    /** Appends that are under way still end. */
    @Override
    public void close() {
        end(Reason.BROKEN);
        CompletableFuture<?> last;
        order.lock();
        try {
            last = lastAdded;
        } finally {
            order.unlock();
        }
        last.whenComplete((entry, failure) -> outside.closed(this));
    }
}
