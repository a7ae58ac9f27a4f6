package cleave.server.store;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.RocksDBException;

/**
 * Takes out of a checkpoint, before its sorted files are copied from the DFS, those that hold nothing of an interval: a part of a split does
 * without most files of the range. Stateless; confined to the thread that opens the store.
 *
 * <p>RocksDB's own lists of its files say which keys each file holds, so old checkpoints are served as well. RocksDB opens them without the
 * files, as it opens a database whose files are damaged, and drops those outside of the interval, as {@link RocksRangeStore#trim} does later.
 * What it still lists then is what the store needs. Files of level 0 stay: RocksDB drops none of them so.
 */
final class RocksPart {
    /** To look at RocksDB's lists costs about as much as to copy this. */
    private static final long BYTES_MIN = 4 << 20;

    private RocksPart() {}

    /**
     * The files that a store of the interval needs.
     *
     * @param db a folder with all files of the checkpoint but the sorted ones
     * @param logs a folder for RocksDB's own log, made here
     * @param sorted of the checkpoint
     */
    static List<Manifest.File> needed(
            RocksShared shared, Path db, Path logs, List<Manifest.File> sorted, KeyRange interval) throws IOException {
        long bytes = sorted.stream().mapToLong(Manifest.File::length).sum();
        if (sorted.size() < 2 || bytes < BYTES_MIN || !hasFilesOutside(shared, db, logs, sorted, interval)) {
            return sorted;
        }
        Set<String> listed = drop(shared, db, sorted, interval);
        return sorted.stream().filter(file -> listed.contains(file.localName())).toList();
    }

    private static boolean hasFilesOutside(
            RocksShared shared, Path db, Path logs, List<Manifest.File> sorted, KeyRange interval) throws IOException {
        RocksDatabase listed = RocksDatabase.openReadOnly(shared, db, PrivateFiles.make(logs), sorted);
        try {
            return listed.sortedFiles().stream().anyMatch(file -> file.level() > 0 && isOutside(file, interval));
        } finally {
            listed.release();
            RocksRangeStores.wipeQuietly(logs);
        }
    }

    private static boolean isOutside(LiveFileMetaData file, KeyRange interval) {
        Key end = interval.end();
        return Arrays.compareUnsigned(file.largestKey(), interval.start().bytes()) < 0
                || (end != null && Arrays.compareUnsigned(file.smallestKey(), end.bytes()) >= 0);
    }

    /** Answers the names of the files that are left. */
    private static Set<String> drop(RocksShared shared, Path db, List<Manifest.File> sorted, KeyRange interval) {
        RocksDatabase whole = RocksDatabase.open(shared, db, sorted);
        try {
            whole.db().deleteFilesInRanges(whole.data(), RocksRangeStore.outside(interval), false);
            Set<String> left = new HashSet<>();
            for (LiveFileMetaData file : whole.db().getLiveFilesMetaData()) {
                left.add(file.fileName().substring(file.fileName().lastIndexOf('/') + 1));
            }
            return left;
        } catch (RocksDBException failure) {
            throw whole.failure("the files outside of " + interval + " cannot be dropped", failure);
        } finally {
            whole.release();
        }
    }
}
