package cleave.server;

import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.Readiness;
import cleave.server.outside.Space;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A DFS in memory that keeps to the contract, and lets a test force what the contract allows: appends and barriers that take their
 * time, appends of unknown fate, seals that cut inside the last append, calls that find nobody. Confined to the test's thread.
 */
final class InMemoryDfs implements Dfs {
    private final TreeMap<String, Content> files = new TreeMap<>();
    private final TreeSet<String> deleted = new TreeSet<>();
    private final List<Runnable> heldBarriers = new ArrayList<>();
    private Predicate<String> held = path -> false;
    private boolean barriersHeld;
    private Space space = Space.ROOMY;
    private final List<Runnable> heldReads = new ArrayList<>();
    private boolean readsHeld;
    private final TreeSet<String> handles = new TreeSet<>();
    private Predicate<String> refusedCreates = path -> false;
    private Predicate<String> heldCreates = path -> false;
    private final List<Runnable> heldCreateAnswers = new ArrayList<>();
    private Predicate<String> taken = path -> false;
    private final TreeSet<String> others = new TreeSet<>();
    private int keptAtSeal;
    int unavailableSeals;
    int unavailableCreates;
    private String unavailableLog = "";
    private int unavailableLogSeals;
    int appends;
    private Set<Purpose> refused = Set.of();
    Readiness probe = Readiness.READY;
    int barriers;

    /** Of a cluster. */
    InMemoryDfs() {
        ClusterIdentity identity = new ClusterIdentity(new ClusterId("11111111-2222-3333-4444-555555555555"), "m1");
        if (!ClusterFile.found(this, identity).isDone()) {
            throw new AssertionError("the founding takes its time");
        }
        appends = 0;
    }

    /** A file, and the appends that have not reached the medium. */
    private static final class Content {
        private ByteString bytes = ByteString.EMPTY;
        private boolean sealed;
        private final List<Pending> pending = new ArrayList<>();
    }

    private record Pending(ByteString bytes, CompletableFuture<Long> future) {}

    /** Appends for these purposes find no space from now on. */
    void refuse(Purpose... purposes) {
        refused = Set.of(purposes);
    }

    @Override
    public CompletableFuture<Readiness> probe() {
        return CompletableFuture.completedFuture(probe);
    }

    /** There is so much room from now on. */
    void space(Space now) {
        space = now;
    }

    @Override
    public Space space() {
        return space;
    }

    /** Appends to such files stay under way until they are released or their file is sealed. */
    void holdAppends(Predicate<String> paths) {
        held = paths;
    }

    /** Those under way become durable, and so do later ones. */
    void releaseAppends() {
        held = path -> false;
        files.values().forEach(content -> {
            List<Pending> pending = List.copyOf(content.pending);
            content.pending.clear();
            pending.forEach(each -> write(content, each));
        });
    }

    /** The oldest append under way becomes durable. */
    void releaseOneAppend(String path) {
        write(file(path), file(path).pending.remove(0));
    }

    int appendsUnderWay() {
        return files.values().stream()
                .mapToInt(content -> content.pending.size())
                .sum();
    }

    /** So many seals of this file find nobody. */
    void unavailableSealsOf(String path, int count) {
        unavailableLog = path;
        unavailableLogSeals = count;
    }

    /** So many bytes of appends under way turn out to be inside when their file is sealed next. */
    void keepAtSeal(int bytes) {
        keptAtSeal = bytes;
    }

    /** Barriers reach their file at once, but their answers stay away until released. */
    void holdBarrierAnswers() {
        barriersHeld = true;
    }

    void releaseBarrierAnswers() {
        barriersHeld = false;
        List<Runnable> answers = List.copyOf(heldBarriers);
        heldBarriers.clear();
        answers.forEach(Runnable::run);
    }

    /** Reads look at their file at once, but what they found stays away until released. */
    void holdReads() {
        readsHeld = true;
    }

    void releaseReads() {
        readsHeld = false;
        List<Runnable> answers = List.copyOf(heldReads);
        heldReads.clear();
        answers.forEach(Runnable::run);
    }

    /** Such files cannot be made. */
    void refuseCreates(Predicate<String> paths) {
        refusedCreates = paths;
    }

    /** Such files are made at once, but who makes them does not hear of it until released. */
    void holdCreates(Predicate<String> paths) {
        heldCreates = paths;
    }

    void releaseCreates() {
        heldCreates = path -> false;
        List<Runnable> answers = List.copyOf(heldCreateAnswers);
        heldCreateAnswers.clear();
        answers.forEach(Runnable::run);
    }

    /** Whoever would make such a file finds that another has made it before, and uses it. */
    void takeByOthers(Predicate<String> paths) {
        taken = paths;
    }

    /** The files of others that somebody met, whether they still exist or not. */
    List<String> others() {
        return List.copyOf(others);
    }

    /** The files that somebody can still append to. */
    List<String> handles() {
        return List.copyOf(handles);
    }

    /** The medium gives up the file's appends under way without telling their fate; so many bytes have reached it. */
    void breakAppends(String path, int reached) {
        Content content = file(path);
        List<Pending> pending = List.copyOf(content.pending);
        content.pending.clear();
        ByteString all = ByteString.EMPTY;
        for (Pending each : pending) {
            all = all.concat(each.bytes());
        }
        content.bytes = content.bytes.concat(all.substring(0, Math.min(reached, all.size())));
        pending.forEach(each -> each.future().completeExceptionally(failure(Reason.BROKEN, path)));
    }

    private static void write(Content content, Pending append) {
        content.bytes = content.bytes.concat(append.bytes());
        append.future().complete((long) content.bytes.size());
    }

    private Content file(String path) {
        Content content = files.get(path);
        if (content == null) {
            throw new AssertionError("no file " + path);
        }
        return content;
    }

    private static DfsException failure(Reason reason, String path) {
        return new DfsException(reason, path);
    }

    @Override
    public CompletableFuture<DfsFile> create(String path) {
        if (unavailableCreates > 0 || refusedCreates.test(path)) {
            unavailableCreates = Math.max(0, unavailableCreates - 1);
            return CompletableFuture.failedFuture(failure(Reason.UNAVAILABLE, path));
        }
        if (taken.test(path) && !files.containsKey(path)) {
            files.put(path, new Content());
            others.add(path);
        }
        if (files.containsKey(path) || deleted.contains(path)) {
            return CompletableFuture.failedFuture(failure(Reason.EXISTS, path));
        }
        files.put(path, new Content());
        handles.add(path);
        CompletableFuture<DfsFile> answer = new CompletableFuture<>();
        if (heldCreates.test(path)) {
            heldCreateAnswers.add(() -> answer.complete(new Handle(path)));
        } else {
            answer.complete(new Handle(path));
        }
        return answer;
    }

    @Override
    public CompletableFuture<Long> seal(String path) {
        if (path.equals(unavailableLog) && unavailableLogSeals > 0) {
            unavailableLogSeals--;
            return CompletableFuture.failedFuture(failure(Reason.UNAVAILABLE, path));
        }
        if (unavailableSeals > 0) {
            unavailableSeals--;
            return CompletableFuture.failedFuture(failure(Reason.UNAVAILABLE, path));
        }
        if (deleted.contains(path)) {
            return CompletableFuture.failedFuture(failure(Reason.DELETED, path));
        }
        Content content = files.computeIfAbsent(path, absent -> new Content());
        if (!content.sealed) {
            content.sealed = true;
            if (!content.pending.isEmpty()) {
                int kept = keptAtSeal;
                keptAtSeal = 0;
                List<Pending> pending = List.copyOf(content.pending);
                ByteString all = ByteString.EMPTY;
                for (Pending each : pending) {
                    all = all.concat(each.bytes());
                }
                content.pending.clear();
                content.bytes = content.bytes.concat(all.substring(0, Math.min(kept, all.size())));
                pending.forEach(each -> each.future().completeExceptionally(failure(Reason.SEALED, path)));
            }
        }
        return CompletableFuture.completedFuture((long) content.bytes.size());
    }

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        if (!files.containsKey(path)) {
            return CompletableFuture.failedFuture(failure(Reason.NOT_FOUND, path));
        }
        ByteString bytes = file(path).bytes;
        int from = (int) Math.min(offset, bytes.size());
        int to = Math.min(bytes.size(), from + length);
        ByteString found = bytes.substring(from, to);
        CompletableFuture<ByteString> answer = new CompletableFuture<>();
        if (readsHeld) {
            heldReads.add(() -> answer.complete(found));
        } else {
            answer.complete(found);
        }
        return answer;
    }

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        return files.containsKey(path)
                ? CompletableFuture.completedFuture(info(path))
                : CompletableFuture.failedFuture(failure(Reason.NOT_FOUND, path));
    }

    private FileInfo info(String path) {
        Content content = file(path);
        return new FileInfo(path, content.bytes.size(), content.sealed);
    }

    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        return CompletableFuture.completedFuture(files.keySet().stream()
                .filter(path -> path.startsWith(prefix))
                .map(this::info)
                .toList());
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        Content content = files.remove(path);
        deleted.add(path);
        if (content != null) {
            content.sealed = true;
            content.pending.forEach(each -> each.future().completeExceptionally(failure(Reason.DELETED, path)));
        }
        return CompletableFuture.completedFuture(null);
    }

    /** For tests that look at what lies in the DFS. */
    List<String> paths(String part) {
        return files.keySet().stream().filter(path -> path.contains(part)).toList();
    }

    /** The log that a server made last. */
    String newestOpenLog(String server) {
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

    boolean isSealed(String path) {
        return file(path).sealed;
    }

    long length(String path) {
        return file(path).bytes.size();
    }

    /** Damages a byte of a file. */
    void flip(String path, int at) {
        byte[] bytes = file(path).bytes.toByteArray();
        bytes[at] ^= 1;
        file(path).bytes = ByteString.copyFrom(bytes);
    }

    @Override
    public void close() {}

    private final class Handle implements DfsFile {
        private final String path;
        private boolean closed;
        private boolean shortOfSpace;

        Handle(String path) {
            this.path = path;
        }

        @Override
        public String path() {
            return path;
        }

        @Override
        public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
            appends++;
            shortOfSpace |= refused.contains(purpose);
            DfsException refusal = refusal();
            if (refusal != null) {
                return CompletableFuture.failedFuture(refusal);
            }
            Pending append = new Pending(bytes, new CompletableFuture<>());
            if (held.test(path)) {
                file(path).pending.add(append);
            } else {
                write(file(path), append);
            }
            return append.future();
        }

        @Override
        public CompletableFuture<Void> barrier() {
            barriers++;
            DfsException refusal = refusal();
            CompletableFuture<Void> future = new CompletableFuture<>();
            Runnable answer =
                    refusal == null ? () -> future.complete(null) : () -> future.completeExceptionally(refusal);
            if (barriersHeld) {
                heldBarriers.add(answer);
            } else {
                answer.run();
            }
            return future;
        }

        private @org.jspecify.annotations.Nullable DfsException refusal() {
            if (deleted.contains(path)) {
                return failure(Reason.DELETED, path);
            }
            return file(path).sealed
                    ? failure(Reason.SEALED, path)
                    : closed
                            ? failure(Reason.BROKEN, path + " closed")
                            : shortOfSpace ? failure(Reason.NO_SPACE, path) : null;
        }

        @Override
        public void close() {
            closed = true;
            handles.remove(path);
        }
    }
}
