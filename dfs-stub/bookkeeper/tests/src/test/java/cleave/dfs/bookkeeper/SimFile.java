package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import com.google.protobuf.ByteString;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One path, what processes do with it, and whether what they are told keeps the contract of {@link cleave.dfs.Dfs}. */
final class SimFile {
    private static final long REFUSED_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int ALL = 1 << 20;
    private static final long NEVER = -1;

    private final SimWorld world;
    private final List<String> violations;
    private final String path;
    private final Kind kind;
    private final SimProcess writer;
    /** The processes that have been told that it is sealed. */
    private final Set<SimProcess> informed = new HashSet<>();

    private @Nullable DfsFile handle;
    private ByteString sent = ByteString.EMPTY;
    private long acknowledged;
    private boolean exists;
    private long deleteAsked = NEVER;
    private boolean isAgain;
    private long ended = NEVER;
    private long deleted = NEVER;
    private long sealed = NEVER;

    enum Kind {
        PLAIN,
        STAGED,
        FENCE
    }

    SimFile(SimWorld world, List<String> violations, String path, Kind kind, SimProcess writer) {
        this.world = world;
        this.violations = violations;
        this.path = path;
        this.kind = kind;
        this.writer = writer;
    }

    private long now() {
        return world.time().nanos();
    }

    private void check(boolean isRight, String what) {
        if (!isRight) {
            violations.add(path + ": " + what);
        }
    }

    /** A call may always be unanswered. */
    private void checkRefusal(Throwable failure, String call, Reason... permitted) {
        Throwable cause = Failures.cause(failure);
        boolean isKnown = Failures.is(cause, Reason.UNAVAILABLE);
        for (Reason reason : permitted) {
            isKnown |= Failures.is(cause, reason);
        }
        check(isKnown && cause instanceof DfsException, call + " fails with " + cause);
        check(
                isDeleteAsked() || !Failures.is(cause, Reason.DELETED),
                call + " is told of a deletion that nobody has asked for");
    }

    boolean isKnownTo(SimProcess process) {
        return informed.contains(process);
    }

    boolean mayBeEndedBy(SimProcess process) {
        return kind != Kind.STAGED || exists || (writer == process && handle != null);
    }

    boolean isLiving() {
        return exists && !isDeleteAsked();
    }

    /** Whether it is not known to be there, nor to be deleted. */
    boolean isInDoubt() {
        return !isLiving() && deleted == NEVER && (kind != Kind.STAGED || isDeleteAsked());
    }

    boolean wasDeletedLately() {
        return deleted != NEVER && now() < deleted + REFUSED_NANOS && !isAgain;
    }

    private boolean isDeleteAsked() {
        return deleteAsked != NEVER;
    }

    /** Whether it may be free again, because it was deleted so long ago. */
    private boolean isForgotten() {
        return isDeleteAsked() && now() >= (deleted == NEVER ? deleteAsked : deleted) + REFUSED_NANOS;
    }

    boolean isOver() {
        return isAgain;
    }

    boolean hasHandle() {
        return handle != null && !writer.isDead() && writer.isAwake();
    }

    void create() {
        created().whenComplete((made, failure) -> {
            if (failure == null) {
                handle = made;
                exists = kind != Kind.STAGED;
            } else {
                checkRefusal(failure, "create", Reason.EXISTS);
            }
        });
    }

    private CompletableFuture<DfsFile> created() {
        return switch (kind) {
            case PLAIN -> writer.files().create(path);
            case STAGED -> writer.files().createStaged(path);
            case FENCE -> writer.files().createFence(path);
        };
    }

    void createAgain(SimProcess by) {
        by.files().create(path).whenComplete((made, failure) -> {
            if (failure == null) {
                check(isForgotten(), "was deleted, and is created again too early");
                isAgain = true;
                made.close();
            } else {
                checkRefusal(failure, "create", Reason.EXISTS);
            }
        });
    }

    /** Of a fence, another barrier. */
    void append() {
        if (kind == Kind.FENCE) {
            barrier();
            return;
        }
        ByteString bytes = ByteString.copyFromUtf8(world.random().nextInt(1_000) + ".");
        sent = sent.concat(bytes);
        long end = sent.size();
        long began = now();
        opened().append(bytes).thenAccept(length -> {
            checkReport(began);
            check(length == end, "an append ends at " + length + " and not at " + end);
            check(sealed == NEVER || end <= sealed, "an append is reported beyond the sealed length " + sealed);
            acknowledged = Math.max(acknowledged, end);
        });
    }

    void barrier() {
        long began = now();
        opened().barrier().thenRun(() -> checkReport(began));
    }

    private DfsFile opened() {
        DfsFile open = handle;
        if (open == null) {
            throw new IllegalStateException("not open");
        }
        return open;
    }

    private void checkReport(long began) {
        check(ended == NEVER || began <= ended, "what was sent after its seal or deletion is reported as done");
    }

    void close() {
        opened().close();
        handle = null;
    }

    void seal(SimProcess by) {
        by.files().seal(path).whenComplete((length, failure) -> {
            if (failure == null && isForgotten() && length == 0) {
                isAgain = true;
            } else if (failure == null) {
                ended = ended == NEVER ? now() : ended;
                exists = true;
                informed.add(by);
                isSealed(length);
            } else {
                checkRefusal(
                        failure,
                        "seal",
                        Reason.DELETED,
                        kind == Kind.STAGED ? Reason.BROKEN : Reason.DELETED,
                        Reason.EXISTS);
            }
        });
    }

    private void isSealed(long length) {
        check(sealed == NEVER || sealed == length, "is sealed at " + sealed + " and at " + length);
        check(length >= acknowledged, "is sealed at " + length + ", and " + acknowledged + " are acknowledged");
        check(length <= sent.size(), "is sealed at " + length + " of " + sent.size());
        sealed = length;
    }

    void delete(SimProcess by) {
        deleteAsked = deleteAsked == NEVER ? now() : deleteAsked;
        by.files().delete(path).whenComplete((done, failure) -> {
            if (failure == null) {
                ended = ended == NEVER ? now() : ended;
                deleted = deleted == NEVER ? now() : deleted;
            } else {
                checkRefusal(failure, "delete");
            }
        });
    }

    void read(SimProcess by) {
        boolean isInformed = informed.contains(by);
        by.files().read(path, 0, ALL).whenComplete((bytes, failure) -> {
            if (failure == null && !isForgotten()) {
                check(
                        bytes.size() <= sent.size()
                                && sent.substring(0, bytes.size()).equals(bytes),
                        "shows what was not written");
                check(!isInformed || bytes.size() == sealed, "shows " + bytes.size() + " of the sealed " + sealed);
            } else if (failure != null) {
                checkRefusal(failure, "read", Reason.DELETED, Reason.NOT_FOUND);
            }
        });
    }

    void stat(SimProcess by) {
        boolean existed = exists;
        long before = acknowledged;
        by.files().stat(path).whenComplete((info, failure) -> {
            if (failure == null && !isForgotten()) {
                described(info, before);
            } else if (failure != null) {
                checkRefusal(failure, "stat", Reason.NOT_FOUND);
                check(
                        !existed || isDeleteAsked() || !Failures.is(failure, Reason.NOT_FOUND),
                        "exists and is not found");
            }
        });
    }

    private void described(FileInfo info, long before) {
        check(info.length() >= before && info.length() <= sent.size(), "has the length " + info.length());
        if (info.sealed()) {
            isSealed(info.length());
        }
    }

    @Override
    public String toString() {
        return path;
    }
}
