package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Progress;
import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.UnknownFormat;
import cleave.model.manifest.Manifest;
import cleave.model.table.Registry;
import cleave.wire.PendingDrop;
import cleave.wire.StatusReply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes one backup of a running cluster. Confined to one thread.
 *
 * <p>It works in passes. Each pass reads the map, and copies the manifest, the files and the logs up to a cut for each
 * range that is still missing. Invariant I3: the leader proves that a manifest was current at some moment after the
 * backup began, and the manifest's logs contain everything acknowledged before that moment. All logs but the last must
 * be sealed, so that the copy, with the last one as it was read, is the range as of one moment. A range that is being
 * published, is in a handoff or has moved is left to the next pass.
 *
 * <p>The registry is copied last, so a table whose drop a range has logged is absent from it or marked as being
 * deleted. The backup records pending drops, and the restored cluster completes them. The masters list them, with a
 * mark that shows whether a drop began and ended between two answers; if one did, the registry is copied again.
 */
final class BackupRun {
    private static final KeyRange REGISTRY = KeyRange.ofTable(Registry.TABLE);
    private static final int PROBLEMS_TOLD = 3;

    private final ClusterAccess masters;
    private final DfsFiles files;
    private final BackupFolder folder;
    private final Progress progress;
    private final int idlePassesMax;
    private final TreeMap<Key, Part> parts = new TreeMap<>();
    private final TreeMap<Piece, Integer> checksums = new TreeMap<>();
    private final TreeMap<Long, PendingDrop> drops = new TreeMap<>();
    private long copiedBytes;
    private long foundBytes;
    /** Ranges and pieces, including replaced ones. */
    private long taken;

    /** Why a range could not be copied at the last attempt, by its id. */
    private final TreeMap<Long, String> problems = new TreeMap<>();

    /** @param idlePassesMax passes in a row without progress before it gives up */
    BackupRun(ClusterAccess masters, DfsFiles files, BackupFolder folder, Progress progress, int idlePassesMax) {
        this.masters = masters;
        this.files = files;
        this.folder = folder;
        this.progress = progress;
        this.idlePassesMax = idlePassesMax;
    }

    /** Bytes that this run has copied from the DFS. */
    long copiedBytes() {
        return copiedBytes;
    }

    /** Copies everything that the index names; does not write the index. */
    BackupIndex run() throws IOException {
        long began = System.currentTimeMillis();
        int idle = 0;
        int registries = 0;
        StatusReply before = status();
        StatusReply last = before; // Its next table id exceeds all ids in the parts.
        for (long takenBefore = 0; ; takenBefore = taken) {
            boolean isWhole = pass(before);
            last = status();
            if (isWhole && last.getDropsMark() == before.getDropsMark()) {
                break;
            }
            registries = isWhole ? registries + 1 : 0;
            idle = taken == takenBefore ? idle + 1 : 0;
            if (Math.max(idle, registries) > idlePassesMax) {
                throw CommandFailure.failed("the backup makes no progress: "
                        + (isWhole ? "tables are deleted all the time" : problems())
                        + ". What was copied stays: run the same command again, which continues from there");
            }
            if (!isWhole) {
                masters.pause();
                last = status();
            }
            before = last;
        }
        TreeMap<Piece, Integer> needed = new TreeMap<>();
        for (Part part : parts.values()) {
            part.pieces().forEach(piece -> needed.put(piece, checksums.get(piece)));
        }
        List<Long> numbers = folder.numbers();
        return new BackupIndex(
                folder.cluster(),
                numbers.isEmpty() ? 1 : numbers.get(numbers.size() - 1) + 1,
                began,
                System.currentTimeMillis(),
                last.getNextTable(),
                List.copyOf(drops.values()),
                List.copyOf(parts.values()),
                needed);
    }

    private StatusReply status() {
        StatusReply status = masters.status();
        if (!status.getCluster().equals(folder.cluster())) {
            throw CommandFailure.failed("the masters are of cluster " + status.getCluster()
                    + " now; this backup is of cluster " + folder.cluster());
        }
        UsedDfs.check(status, folder.dfs());
        if (status.getNextTable() == 0 || status.getDropsMark() == 0) {
            throw CommandFailure.failed(
                    "the leading master does not tell the table ids and drops: its version is too old to be"
                            + " backed up; upgrade the masters");
        }
        status.getDropsList().forEach(drop -> drops.put(drop.getTable(), drop));
        return status;
    }

    private String problems() {
        String told = String.join(
                "; ", problems.values().stream().limit(PROBLEMS_TOLD).toList());
        return problems.size() <= PROBLEMS_TOLD ? told : told + "; and " + (problems.size() - PROBLEMS_TOLD) + " more";
    }

    /** True if all parts are complete and the registry is the newest of them. */
    private boolean pass(StatusReply status) throws IOException {
        problems.clear();
        List<Row> rows =
                status.getMap().getRowsList().stream().map(Row::fromWire).toList();
        List<Row> missing = new ArrayList<>();
        List<Row> registry = new ArrayList<>();
        for (Row row : rows) {
            if (row.range().overlaps(REGISTRY)) {
                registry.add(row);
            } else if (!isCovered(row.range())) {
                missing.add(row);
            }
        }
        List<Row> wanted = missing.isEmpty() ? registry : missing;
        boolean took = true;
        for (Row row : wanted) {
            took &= take(row, rows.size());
        }
        return took && missing.isEmpty() && isCovered(KeyRange.ALL);
    }

    private boolean isCovered(KeyRange interval) {
        Key at = interval.start();
        while (true) {
            Map.Entry<Key, Part> entry = parts.floorEntry(at);
            if (entry == null || !entry.getValue().interval().contains(at)) {
                return false;
            }
            @Nullable Key end = entry.getValue().interval().end();
            if (end == null || (interval.end() != null && end.compareTo(interval.end()) >= 0)) {
                return true;
            }
            at = end;
        }
    }

    /** False if the next pass has to retry. */
    private boolean take(Row row, int ranges) throws IOException {
        try {
            Part part = partOf(row);
            if (part == null) {
                return false;
            }
            for (Piece piece : part.pieces()) {
                fetch(piece, null);
            }
            parts.values().removeIf(older -> older.interval().overlaps(part.interval()));
            parts.put(part.interval().start(), part);
            taken++;
            progress.show("%d of %d ranges, %s copied, %s already there"
                    .formatted(parts.size(), ranges, Bytes.text(copiedBytes), Bytes.text(foundBytes)));
            return true;
        } catch (DfsException gone) {
            problem(row, gone.getMessage());
        } catch (UnknownFormat newer) {
            throw newer;
        } catch (Damaged damaged) {
            problem(row, damaged.getMessage());
        }
        return false;
    }

    private void problem(Row row, @Nullable String why) {
        problems.put(row.id(), "range " + Row.idText(row.id()) + ": " + why);
    }

    private @Nullable Part partOf(Row row) throws IOException {
        String path = row.manifest();
        if (path == null) {
            return new Part(row.id(), row.epoch(), row.range(), Part.nothing(row.id(), row.epoch()), new TreeMap<>());
        }
        Manifest manifest = files.manifest(path);
        for (Manifest.Checkpoint checkpoint : manifest.checkpoints()) {
            for (Manifest.File file : checkpoint.files().stored()) {
                fetch(file); // Before the cut, so that the cut is as late as possible.
            }
        }
        TreeMap<String, Long> ends = new TreeMap<>();
        List<Manifest.Log> logs = manifest.logs();
        String last = logs.isEmpty() ? "" : logs.get(logs.size() - 1).path();
        for (String log : new TreeSet<>(logs.stream().map(Manifest.Log::path).toList())) {
            Dfs.FileInfo info = files.stat(log);
            if (!info.sealed() && !log.equals(last)) {
                problem(row, "log " + log + " is being replaced");
                return null;
            }
            ends.put(log, info.length());
        }
        return new Part(row.id(), row.epoch(), row.range(), manifest, ends);
    }

    /** {@link Damaged} if its bytes are not those that were sent to the DFS: a backup of them would look intact. */
    private void fetch(Manifest.File file) throws IOException {
        Piece piece = new Piece(file.path(), 0, file.length());
        Integer sent = file.checksum();
        Integer found = folder.find(piece);
        fetch(piece, sent);
        if (sent == null || sent.equals(checksums.get(piece))) {
            return;
        }
        checksums.remove(piece);
        taken--; // It is no progress to copy it again.
        if (found != null) {
            throw new Damaged(
                    file.path() + " was damaged when an earlier version copied it to this folder: give another folder");
        }
        folder.remove(piece);
        throw new Damaged(file.path() + " is damaged in the DFS: it has not the checksum that its manifest names");
    }

    /** @param sent the checksum that the file had when it was sent to the DFS; null if it is not known */
    private void fetch(Piece piece, @Nullable Integer sent) throws IOException {
        if (checksums.containsKey(piece)) {
            return;
        }
        Integer checksum = folder.find(piece);
        if (checksum == null) {
            checksum = folder.add(piece, sent, out -> files.read(piece.path(), piece.from(), piece.length(), out));
            copiedBytes += piece.length();
        } else {
            foundBytes += piece.length();
        }
        checksums.put(piece, checksum);
        taken++;
    }
}
