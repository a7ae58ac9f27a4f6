package cleave.chaos.sim;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A process's access to the DFS, with a planted bug. Confined to the simulation. */
final class MutantDfs implements Dfs {
    private static final int RECORD_CHECKSUM_AT = 4;
    private static final int RECORD_CONTENT_AT = 8;
    private static final int RECORD_TIMESTAMP_AT = 16;

    private final SimMedium medium;
    private final Dfs dfs;
    private final Bug bug;
    /** The logs that this server created, in this process or an earlier one. */
    private final String ownMark;

    private final TreeSet<String> own = new TreeSet<>();
    private final TreeMap<String, ByteString> misread = new TreeMap<>();
    /** The acknowledged lengths of broken logs. */
    private final TreeMap<String, Long> broken = new TreeMap<>();

    private final Set<String> believed;
    private String newest = "";

    /** @param believed logs that are wrongly believed to be sealed, in the whole simulation */
    MutantDfs(SimMedium medium, Dfs dfs, String server, Bug bug, Set<String> believed) {
        this.believed = believed;
        this.ownMark = "-" + server + ".";
        this.medium = medium;
        this.dfs = dfs;
        this.bug = bug;
    }

    private static boolean isLog(String path) {
        return path.contains("-log-");
    }

    @Override
    public CompletableFuture<DfsFile> create(String path) {
        own.add(path);
        newest = path;
        CompletableFuture<DfsFile> created = dfs.create(path);
        if (bug == Bug.FILE_OF_OTHERS_DELETED) {
            created.whenComplete((file, failure) -> {
                if (failure != null) {
                    dfs.delete(path);
                }
            });
        }
        return isLog(path) ? created.thenApply(Mutant::new) : created;
    }

    @Override
    public CompletableFuture<Long> seal(String path) {
        if (!isLog(path)) {
            return dfs.seal(path);
        }
        return own.contains(path) ? endOwn(path) : takeOver(path);
    }

    private CompletableFuture<Long> endOwn(String path) {
        Long acknowledged = bug == Bug.BROKEN_LOG_TAKEN_FOR_UNWRITTEN ? broken.get(path) : null;
        return acknowledged == null ? dfs.seal(path) : dfs.seal(path).thenApply(length -> acknowledged);
    }

    /** The length up to which an earlier owner's log is replayed. */
    private CompletableFuture<Long> takeOver(String path) {
        return switch (bug) {
            case SEAL_SKIPPED -> dfs.stat(path).thenApply(file -> medium.durableLength(path));
            case RANGES_KEPT_BY_A_RESTARTED_PROCESS ->
                path.contains(ownMark) ? dfs.stat(path).thenApply(FileInfo::length) : dfs.seal(path);
            case REPLAY_CUT_SHORT -> dfs.seal(path).thenApply(length -> Math.max(0, length - 1));
            case REPLAY_PAST_THE_SEAL -> dfs.seal(path).thenApply(length -> length + 1);
            case OPEN_FILE_READ_BEYOND_ACKNOWLEDGED -> {
                ByteString open = medium.isVisible() && medium.exists(path) ? medium.peek(path) : null;
                yield dfs.seal(path).thenApply(length -> overread(path, length, open));
            }
            case COMMITTED_WITHOUT_WORD ->
                believed.contains(path) ? dfs.stat(path).thenApply(file -> medium.durableLength(path)) : dfs.seal(path);
            default -> dfs.seal(path);
        };
    }

    private long overread(String path, long length, @Nullable ByteString read) {
        if (read == null || read.size() <= length) {
            return length;
        }
        misread.put(path, read);
        return read.size();
    }

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        return isForgotten(path)
                ? stat(path).thenCompose(known -> readNow(path, offset, length))
                : readNow(path, offset, length);
    }

    private CompletableFuture<ByteString> readNow(String path, long offset, int length) {
        ByteString read = misread.get(path);
        return read == null
                ? dfs.read(path, offset, length)
                : CompletableFuture.completedFuture(
                        read.substring((int) offset, (int) Math.min(read.size(), offset + length)));
    }

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        return isForgotten(path) ? dfs.stat(path).thenCompose(this::forget) : dfs.stat(path);
    }

    /** True if part of the file's content is. */
    private boolean isForgotten(String path) {
        boolean forgets = bug == Bug.DROP_FORGOTTEN_BY_A_CHILD || bug == Bug.TIMESTAMPS_FROM_THE_CLOCK_ALONE;
        return forgets && path.contains("-manifest-");
    }

    /** The content from which a new owner continues. */
    private CompletableFuture<FileInfo> forget(FileInfo file) {
        return dfs.read(file.path(), 0, Math.toIntExact(file.length())).thenApply(bytes -> {
            Manifest whole = ManifestCodec.decode(bytes.toByteArray());
            ByteString less = ByteString.copyFrom(ManifestCodec.encode(new Manifest(
                    whole.range(),
                    whole.epoch(),
                    whole.checkpoints(),
                    whole.logs(),
                    bug == Bug.TIMESTAMPS_FROM_THE_CLOCK_ALONE ? 0 : whole.highestTimestamp(),
                    bug == Bug.DROP_FORGOTTEN_BY_A_CHILD ? DroppedTables.NONE : whole.dropped())));
            misread.put(file.path(), less);
            return new FileInfo(file.path(), less.size(), file.sealed());
        });
    }

    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        return dfs.list(prefix);
    }

    @Override
    public long barriersPerFile() {
        return dfs.barriersPerFile();
    }

    @Override
    public Space space() {
        return dfs.space();
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        if (bug == Bug.REACHABLE_FILE_SWEPT && !newest.isEmpty()) {
            dfs.delete(newest);
        }
        return dfs.delete(path);
    }

    @Override
    public void close() {
        dfs.close();
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

    private static boolean isBreak(@Nullable Throwable failure) {
        Throwable why = failure instanceof CompletionException ? failure.getCause() : failure;
        return why instanceof DfsException answer && answer.reason() == DfsException.Reason.BROKEN;
    }

    private final class Mutant implements DfsFile {
        private final DfsFile file;
        private long sent;
        private long acknowledged;

        Mutant(DfsFile file) {
            this.file = file;
        }

        @Override
        public String path() {
            return file.path();
        }

        @Override
        public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
            sent += bytes.size();
            long end = sent;
            CompletableFuture<Long> append =
                    file.append(bug == Bug.TIMESTAMPS_FROM_THE_CLOCK_ALONE ? withoutTimestamp(bytes) : bytes, purpose);
            return switch (bug) {
                case BROKEN_LOG_TAKEN_FOR_UNWRITTEN -> append.whenComplete((length, failure) -> learn(length, failure));
                case ACKNOWLEDGED_BEFORE_DURABLE -> CompletableFuture.completedFuture(end);
                case WRITTEN_BEHIND_UNKNOWN_APPEND ->
                    append.thenApply(length -> end)
                            .exceptionallyCompose(failure -> again(bytes, purpose, end, failure));
                default -> append;
            };
        }

        private void learn(@Nullable Long length, @Nullable Throwable failure) {
            if (length != null) {
                acknowledged = length;
            } else if (isBreak(failure)) {
                broken.putIfAbsent(path(), acknowledged);
            }
        }

        private CompletableFuture<Long> again(ByteString bytes, Purpose purpose, long end, Throwable failure) {
            if (!isBreak(failure)) {
                return CompletableFuture.failedFuture(failure);
            }
            medium.mend(path());
            return file.append(bytes, purpose).thenApply(length -> end);
        }

        @Override
        public CompletableFuture<Void> barrier() {
            return bug == Bug.BARRIER_SKIPPED ? CompletableFuture.completedFuture(null) : file.barrier();
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
