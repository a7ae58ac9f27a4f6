package cleave.dfs.memory;

import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.DfsIdentityFile;
import cleave.dfs.state.Paths;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import cleave.model.Readiness;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A DFS in memory. Calls complete at once, unless a test forces what the contract allows besides: appends that stay under way, seals
 * that cut inside the last append, appends of unknown outcome, late answers, calls that fail. Confined to one thread.
 */
public final class InMemoryDfs implements Dfs {
    private final TreeMap<String, MemoryFile> files = new TreeMap<>();
    private final TreeSet<String> deleted = new TreeSet<>();
    /** The contents that handles to deleted files write to. */
    private final TreeMap<String, MemoryFile> leftOver = new TreeMap<>();

    private final TreeSet<String> others = new TreeSet<>();
    final TreeSet<String> handles = new TreeSet<>();
    final TreeSet<String> givenUp = new TreeSet<>();
    /** How much is to be seen of files that look open and short. */
    private final TreeMap<String, Integer> shown = new TreeMap<>();

    /** Barriers on their way to their files. */
    public final Gate barriersSent = new Gate();
    /** The answers to barriers that have reached their files. */
    public final Gate barrierAnswers = new Gate();
    /** The answers to seals, of files that are sealed by then. */
    public final Gate sealAnswers = new Gate();
    /** What reads have found. */
    public final Gate readAnswers = new Gate();
    /** The answers to creates, of files that exist by then. */
    public final Gate createAnswers = new Gate();

    Predicate<String> heldAppends = path -> false;
    private Predicate<String> refusedCreates = path -> false;
    private Predicate<String> taken = path -> false;
    Set<Purpose> refusedPurposes = Set.of();
    private Space space = Space.ROOMY;
    private @Nullable Sealing sealing;
    private int keptAtSeal;
    private String unavailableLog = "";
    private int unavailableLogSeals;
    boolean closed;

    /** The next seals that fail with UNAVAILABLE. */
    public int unavailableSeals;
    /** The next creates that fail with UNAVAILABLE. */
    public int unavailableCreates;

    public Readiness probe = Readiness.READY;
    /** At how many barriers a file should be replaced, as if each were stored. */
    public long barriersPerFile = Long.MAX_VALUE;
    /** Appends that were asked for. */
    public int appends;
    /** Barriers that were asked for. */
    public int barriers;
    /** Why a read of a path fails; null if it does not. */
    public Function<String, @Nullable Reason> unreadable = path -> null;
    /** The paths that were read, in order. */
    public final List<String> reads = new ArrayList<>();

    /** Decides what a seal does to appends that are stored and not yet durable. */
    public interface Sealing {
        /** The sealed length: at least what is durable, at most what is stored. */
        int length(int durable, int stored);

        /** Whether the next append inside the sealed length is acknowledged; if not, none after it is. */
        default boolean acknowledges() {
            return false;
        }
    }

    /** The DFS of a cluster that was founded. */
    public static InMemoryDfs ofCluster() {
        InMemoryDfs dfs = new InMemoryDfs();
        ClusterFile.found(dfs, new ClusterIdentity(new ClusterId("11111111-2222-3333-4444-555555555555"), "m1"))
                .join();
        DfsIdentityFile.make(dfs, DfsIdentity.of("dddddddd-2222-3333-4444-555555555555"))
                .join();
        dfs.appends = 0;
        return dfs;
    }

    private static DfsException failure(Reason reason, String message) {
        return new DfsException(reason, message);
    }

    /** A file, or what handles to a deleted one write to; null if it never was. */
    private @Nullable MemoryFile wherever(String path) {
        return files.getOrDefault(path, leftOver.get(path));
    }

    private <T> CompletableFuture<T> answer(String path, Supplier<T> call) {
        if (closed) {
            return CompletableFuture.failedFuture(failure(Reason.BROKEN, "the DFS was closed"));
        }
        if (!Paths.isWellFormed(path)) {
            return CompletableFuture.failedFuture(failure(Reason.INVALID, "malformed path '" + path + "'"));
        }
        try {
            return CompletableFuture.completedFuture(call.get());
        } catch (DfsException refusal) {
            return CompletableFuture.failedFuture(refusal);
        }
    }

    private MemoryFile file(String path) {
        MemoryFile content = files.get(path);
        if (content == null) {
            throw failure(deleted.contains(path) ? Reason.DELETED : Reason.NOT_FOUND, path);
        }
        return content;
    }

    @Override
    public CompletableFuture<DfsFile> create(String path) {
        return createAnswers.pass(path, answer(path, () -> created(path)));
    }

    private DfsFile created(String path) {
        if (unavailableCreates > 0 || refusedCreates.test(path)) {
            unavailableCreates = Math.max(0, unavailableCreates - 1);
            throw failure(Reason.UNAVAILABLE, path);
        }
        if (taken.test(path) && !files.containsKey(path)) {
            files.put(path, new MemoryFile(path));
            others.add(path);
        }
        if (files.containsKey(path) || deleted.contains(path)) {
            throw failure(Reason.EXISTS, path);
        }
        MemoryFile content = new MemoryFile(path);
        files.put(path, content);
        handles.add(path);
        return new MemoryHandle(this, path, content);
    }

    @Override
    public CompletableFuture<Long> seal(String path) {
        return sealAnswers.pass(path, answer(path, () -> sealed(path)));
    }

    private long sealed(String path) {
        if (path.equals(unavailableLog) && unavailableLogSeals > 0) {
            unavailableLogSeals--;
            throw failure(Reason.UNAVAILABLE, path);
        }
        if (unavailableSeals > 0) {
            unavailableSeals--;
            throw failure(Reason.UNAVAILABLE, path);
        }
        if (deleted.contains(path)) {
            throw failure(Reason.DELETED, path);
        }
        MemoryFile content = files.computeIfAbsent(path, MemoryFile::new);
        if (!content.sealed) {
            content.sealed = true;
            end(path, content);
        }
        return content.durable;
    }

    private void end(String path, MemoryFile content) {
        Sealing how = sealing == null ? (durable, stored) -> kept(content) : sealing;
        int length = how.length(content.durable, content.stored.size());
        content.durable = length;
        boolean failing = false;
        for (MemoryFile.Pending append : content.giveUp(length)) {
            failing |= append.end() > length || !how.acknowledges();
            if (failing) {
                append.future().completeExceptionally(failure(Reason.SEALED, path));
            } else {
                append.future().complete((long) append.end());
            }
        }
    }

    private int kept(MemoryFile content) {
        if (content.pending.isEmpty()) {
            return content.stored.size(); // Of a broken file: what has reached the medium.
        }
        int kept = Math.min(content.stored.size(), content.durable + keptAtSeal);
        keptAtSeal = 0;
        return kept;
    }

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        reads.add(path);
        return readAnswers.pass(path, answer(path, () -> {
            if (offset < 0 || length < 0) {
                throw failure(Reason.INVALID, "no place in a file: " + offset + "+" + length);
            }
            Reason why = unreadable.apply(path);
            if (why != null) {
                throw failure(why, path);
            }
            MemoryFile content = file(path);
            int end = (int)
                    Math.min(Math.min(content.durable, shown.getOrDefault(path, Integer.MAX_VALUE)), offset + length);
            return offset >= end ? ByteString.EMPTY : content.stored.substring((int) offset, end);
        }));
    }

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        return answer(path, () -> {
            shown.remove(path);
            if (!files.containsKey(path)) {
                throw failure(Reason.NOT_FOUND, path);
            }
            return info(path);
        });
    }

    private FileInfo info(String path) {
        MemoryFile content = file(path);
        return new FileInfo(path, content.durable, content.sealed);
    }

    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        List<FileInfo> found = new ArrayList<>();
        for (String path : files.tailMap(prefix, true).keySet()) {
            if (!path.startsWith(prefix)) {
                break;
            }
            found.add(info(path));
        }
        return CompletableFuture.completedFuture(found);
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        return answer(path, () -> {
            deleted.add(path);
            MemoryFile content = files.remove(path);
            if (content != null) {
                content.fail(content.durable, Reason.DELETED);
                content.stored = ByteString.EMPTY;
                content.deleted = true;
                leftOver.put(path, content);
            }
            return null;
        });
    }

    @Override
    public long barriersPerFile() {
        return barriersPerFile;
    }

    @Override
    public CompletableFuture<Readiness> probe() {
        return CompletableFuture.completedFuture(probe);
    }

    @Override
    public Space space() {
        return space;
    }

    @Override
    public void close() {
        closed = true;
    }

    /** How much space there is from now on. */
    public void space(Space now) {
        space = now;
        for (MemoryFile content : List.copyOf(files.values())) {
            content.sync(content.synced, now);
        }
    }

    /** Appends for these purposes find no space from now on, besides those that the space rules out. */
    public void refuse(Purpose... purposes) {
        refusedPurposes = Set.of(purposes);
    }

    /** Appends to these files stay under way until they are released or their file is sealed. */
    public void holdAppends(Predicate<String> paths) {
        heldAppends = paths;
    }

    /** Makes all appends durable, those under way and later ones. */
    public void releaseAppends() {
        heldAppends = path -> false;
        syncAll();
    }

    private void syncAll() {
        for (String path : List.copyOf(files.keySet())) {
            MemoryFile content = files.get(path);
            if (content != null && !heldAppends.test(path)) {
                content.sync(Integer.MAX_VALUE, space);
            }
        }
    }

    /** Makes the oldest append under way durable. */
    public void releaseOneAppend(String path) {
        sync(path, file(path).pending.element().end());
    }

    /** Makes the appends under way durable that end at this length or before. */
    public void sync(String path, int end) {
        MemoryFile content = wherever(path);
        if (content != null) {
            content.sync(end, space);
        }
    }

    /** The place behind the last append to a file that is stored, wherever. */
    public int end(String path) {
        MemoryFile content = wherever(path);
        return content == null ? 0 : content.end;
    }

    /**
     * The fence of a deleted file is forgotten, which the contract forbids: appends through an old handle that knows nothing
     * of a seal or delete are taken again, and lost.
     */
    public void forgetFence(String path) {
        MemoryFile content = leftOver.get(path);
        if (content != null) {
            content.sealed = false;
            content.deleted = false;
            content.stored = ByteString.copyFrom(new byte[content.end]);
            content.durable = content.end;
        }
    }

    /** That a path was deleted is forgotten, as if it had never been a file. */
    public void forgetName(String path) {
        deleted.remove(path);
    }

    public int appendsUnderWay() {
        return files.values().stream()
                .mapToInt(content -> content.pending.size())
                .sum();
    }

    /** The next seals of this file fail with UNAVAILABLE. */
    public void unavailableSealsOf(String path, int count) {
        unavailableLog = path;
        unavailableLogSeals = count;
    }

    /** The next seal that finds appends under way keeps this much of them. */
    public void keepAtSeal(int bytes) {
        keptAtSeal = bytes;
    }

    /** Decides all seals from now on. */
    public void sealBy(Sealing how) {
        sealing = how;
    }

    /** Creates of these files fail with UNAVAILABLE. */
    public void refuseCreates(Predicate<String> paths) {
        refusedCreates = paths;
    }

    /** Reads see no more than this of a file, until its state is asked for. */
    public void showAtMost(String path, int length) {
        shown.put(path, length);
    }

    /** These paths turn out to be in use by another cluster when they are created. */
    public void takeByOthers(Predicate<String> paths) {
        taken = paths;
    }

    /** The files of another cluster that were met, whether they still exist or not. */
    public List<String> others() {
        return List.copyOf(others);
    }

    /** The files that can still be appended to. */
    public List<String> handles() {
        return List.copyOf(handles);
    }

    /** The files whose handles were closed before they were sealed or deleted. */
    public List<String> givenUp() {
        return List.copyOf(givenUp);
    }

    /** The medium of a file breaks: its appends under way fail, of which this much has reached the medium, and so do later ones. */
    public void breakAppends(String path, int reached) {
        MemoryFile content = wherever(path); // Appends through an old handle end as well.
        if (content != null) {
            content.broken = true;
            content.fail(content.durable + Math.min(reached, content.stored.size() - content.durable), Reason.BROKEN);
        }
    }

    /** The medium of a file is as if it had never failed, which no real DFS can promise. */
    public void mend(String path) {
        MemoryFile content = files.get(path);
        if (content != null) {
            content.broken = false;
            content.refused = false;
        }
    }

    public boolean exists(String path) {
        return files.containsKey(path);
    }

    /** A file's bytes, durable or not; null if there is no such file. */
    public @Nullable ByteString stored(String path) {
        MemoryFile content = files.get(path);
        return content == null ? null : content.stored;
    }

    /** The files whose path contains this, by path. */
    public List<String> paths(String part) {
        return files.keySet().stream().filter(path -> path.contains(part)).toList();
    }

    /** The open log that a server made last. */
    public String newestOpenLog(String server) {
        String newest = "";
        long number = -1;
        for (String path : paths("-" + server + ".")) {
            long at = path.contains("-log-") ? Long.parseLong(path.substring(path.lastIndexOf('-') + 1)) : -1;
            if (at > number && !isSealed(path)) {
                newest = path;
                number = at;
            }
        }
        return newest;
    }

    public boolean isSealed(String path) {
        return file(path).sealed;
    }

    /** The durable length of a file. */
    public long length(String path) {
        return file(path).durable;
    }

    /** Damages a byte of a file. */
    public void flip(String path, int at) {
        byte[] bytes = file(path).stored.toByteArray();
        bytes[at] ^= 1;
        file(path).stored = ByteString.copyFrom(bytes);
    }
}
