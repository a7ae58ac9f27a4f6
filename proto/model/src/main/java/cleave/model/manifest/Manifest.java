package cleave.model.manifest;

import cleave.model.FeatureLevels;
import cleave.model.Invariant;
import cleave.model.KeyRange;
import cleave.model.Ticks;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The content of the small immutable file that a range's row names, from which everything needed to serve the range is
 * reachable. Immutable.
 *
 * <p>The data of a checkpoint or log outside its interval here does not exist for reads, replay, compaction and merge.
 *
 * @param range id of the range that the manifest was made for
 * @param epoch under which the manifest was made
 * @param checkpoints with disjoint intervals
 * @param logs in the order in which they were written; a log may occur twice, with different intervals
 * @param highestTimestamp in {@link Ticks}: the highest given to an entity so far, except for those in the logs
 * @param dropped the table ids that the range refuses forever
 */
public record Manifest(
        long range,
        long epoch,
        List<Checkpoint> checkpoints,
        List<Log> logs,
        long highestTimestamp,
        DroppedTables dropped) {

    /** Immutable files that together open as a database. Valid only for the keys of its interval. */
    public record Checkpoint(KeyRange interval, FileSet files) {}

    /**
     * All files of a checkpoint, each either in the DFS or in the manifest itself.
     *
     * @param inline from {@link FeatureLevels#INLINE_FILES} on
     */
    public record FileSet(List<File> stored, List<InlineFile> inline) {
        public FileSet {
            stored = List.copyOf(stored);
            inline = List.copyOf(inline);
        }

        /** A set without inline files. */
        public static FileSet of(File... stored) {
            return new FileSet(List.of(stored), List.of());
        }

        /** The bytes of all files. */
        public long bytes() {
            return stored.stream().mapToLong(File::length).sum()
                    + inline.stream().mapToLong(file -> file.content().size()).sum();
        }

        /** The form that is written below {@link FeatureLevels#FILE_CHECKSUMS}. */
        public FileSet withoutChecksums() {
            return new FileSet(
                    stored.stream()
                            .map(file -> new File(file.localName(), file.path(), file.length()))
                            .toList(),
                    inline);
        }

        /** The names of all files, as RocksDB knows them. */
        public Stream<String> localNames() {
            return Stream.concat(
                    stored.stream().map(File::localName), inline.stream().map(InlineFile::localName));
        }
    }

    /**
     * A file of a checkpoint that is part of the manifest, because it is small.
     *
     * @param localName as RocksDB knows it
     */
    public record InlineFile(String localName, ByteString content) {}

    /**
     * A file of a checkpoint that is a file of the DFS.
     *
     * @param localName as RocksDB knows it
     * @param path in the DFS
     * @param length in bytes
     * @param checksum CRC32C of its bytes; null if it was written below {@link FeatureLevels#FILE_CHECKSUMS}
     */
    public record File(
            String localName,
            String path,
            long length,
            @Nullable Integer checksum) {
        /** A file without a checksum. */
        public File(String localName, String path, long length) {
            this(localName, path, length, null);
        }
    }

    /**
     * A commit log, from a position on. Valid only for the keys of its interval.
     *
     * @param offset position in bytes from which it is valid
     * @param sequence number of the first record at that position
     */
    public record Log(String path, KeyRange interval, long offset, long sequence) {}

    public Manifest {
        checkpoints = List.copyOf(checkpoints);
        logs = List.copyOf(logs);
        String problem = problem(checkpoints, logs);
        Invariant.check(problem == null, "manifest of range %s: %s", range, problem);
    }

    /** Describes a contradiction within the manifest; null if there is none. */
    static @Nullable String problem(List<Checkpoint> checkpoints, List<Log> logs) {
        for (int i = 0; i < checkpoints.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (checkpoints.get(i).interval().overlaps(checkpoints.get(j).interval())) {
                    return "two checkpoints count for the same keys";
                }
            }
            FileSet files = checkpoints.get(i).files();
            for (File file : files.stored()) {
                if (file.path().isEmpty() || file.length() < 0) {
                    return "a file of a checkpoint has no path or length";
                }
            }
            if (files.localNames().anyMatch(String::isEmpty)) {
                return "a file of a checkpoint has no name";
            }
        }
        for (Log log : logs) {
            if (log.path().isEmpty() || log.offset() < 0 || log.sequence() < 0) {
                return "a log has no path or position";
            }
        }
        return null;
    }
}
