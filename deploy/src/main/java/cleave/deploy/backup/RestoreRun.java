package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.admin.ServedRanges;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.Wait;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.model.Damaged;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffSource;
import cleave.wire.RestoreRequest;
import cleave.wire.RestoredRange;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Restores one backup into an empty cluster. Confined to one thread.
 *
 * <p>It copies all pieces to new files under the id and epoch of the empty cluster's first row, which no sweep deletes
 * while that epoch lasts. It then seals the logs of all rows, checks that nothing was ever written to them, and has the
 * masters replace exactly these versions of the rows. A write in between would have led to another version, and the
 * restore would be refused, so no write is lost.
 */
final class RestoreRun {
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int COPIES_MAX = 3;
    private static final int COMMITS_MAX = 20;
    private static final String SORTED = ".sst";
    /** A share of the 1 MiB that the masters accept as one command; the rest is for its sources, whose number may grow in the meantime. */
    private static final int REQUEST_BYTES_MAX = (1 << 20) - (1 << 16);

    private final ClusterAccess masters;
    private final DfsFiles files;
    private final BackupFolder folder;
    private final BackupIndex index;
    private final Progress progress;
    private String cluster = "";

    RestoreRun(ClusterAccess masters, DfsFiles files, BackupFolder folder, BackupIndex index, Progress progress) {
        this.masters = masters;
        this.files = files;
        this.folder = folder;
        this.index = index;
        this.progress = progress;
    }

    /** The names of the files of one attempt. No two attempts share a name. */
    private static final class Names {
        private final Row row;
        private final String prefix;
        private int count;

        Names(Row row) {
            this.row = row;
            String maker = "restore-" + UUID.randomUUID().toString().substring(0, 8) + "." + row.epoch();
            prefix = "ranges/" + Row.idText(row.id()) + "/" + row.epoch() + "-" + maker + "-";
        }

        String next(String kind) {
            count++;
            return prefix + kind + "-" + count;
        }

        /** The maximum length of a manifest's name. */
        String longest() {
            return prefix + "manifest-" + Integer.MAX_VALUE;
        }

        boolean hasLapsed(List<Row> rows) {
            return rows.stream().noneMatch(each -> each.id() == row.id() && each.epoch() == row.epoch());
        }
    }

    /** Returns when the cluster's ranges are those of the backup; they may not be served yet. */
    void run() throws IOException {
        for (int copy = 1; copy <= COPIES_MAX; copy++) {
            List<Row> rows = emptyRows();
            Names names = new Names(rows.get(0));
            List<RestoredRange> ranges = copy(names);
            if (commit(names, ranges)) {
                return;
            }
            progress.show("a server of the empty cluster was replaced meanwhile; copying anew");
        }
        throw CommandFailure.failed(
                "the ranges of cluster " + status().getCluster()
                        + " keep changing their owners; nothing was restored. Wait until its servers are stable, and try again");
    }

    private StatusReply status() {
        StatusReply status = masters.status();
        cluster = cluster.isEmpty() ? status.getCluster() : cluster;
        if (!status.getCluster().equals(cluster)) {
            throw CommandFailure.failed("the masters were of cluster " + cluster + " and are of cluster "
                    + status.getCluster() + " now: give the --masters of one cluster. Nothing was restored");
        }
        return status;
    }

    /** The rows of a cluster that never took a write. */
    private List<Row> emptyRows() {
        for (int attempt = 1; ; attempt++) {
            List<Row> rows = emptyRows(status());
            try {
                rows.forEach(row -> checkEmpty(row, false));
                return rows;
            } catch (DfsException gone) {
                if (!isGone(gone) || attempt == COMMITS_MAX) {
                    throw gone;
                }
                masters.pause();
            }
        }
    }

    /**
     * True if a file has disappeared: its owner replaced the manifest after the map was read, and the next map names
     * the new one.
     */
    private static boolean isGone(DfsException failure) {
        return failure.reason() == Reason.NOT_FOUND || failure.reason() == Reason.DELETED;
    }

    private static List<Row> emptyRows(StatusReply status) {
        if (status.getNextTable() != 1 || status.getDropsCount() > 0) {
            throw CommandFailure.failed(
                    status.getNextTable() == 0
                            ? "the leading master is of a version that cannot restore; upgrade the masters"
                            : "cluster " + status.getCluster()
                                    + " is not empty: it has had tables. Nothing was changed;"
                                    + " restore into a cluster that was just founded");
        }
        return status.getMap().getRowsList().stream().map(Row::fromWire).toList();
    }

    /** Ends the command if the row's range ever took a write. */
    private void checkEmpty(Row row, boolean sealing) {
        String path = row.manifest();
        if (path == null) {
            return;
        }
        Manifest manifest = files.manifest(path);
        boolean empty = manifest.checkpoints().stream()
                .flatMap(checkpoint -> checkpoint.files().localNames())
                .noneMatch(name -> name.endsWith(SORTED));
        for (Manifest.Log log : manifest.logs()) {
            long length =
                    sealing ? files.seal(log.path()) : files.stat(log.path()).length();
            empty &= length <= log.offset();
        }
        if (!empty) {
            throw CommandFailure.failed("the cluster is not empty: something was written to its range "
                    + Row.idText(row.id()) + ", such as an account's service properties. Nothing was changed; restore"
                    + " into a cluster that was just founded");
        }
    }

    private List<RestoredRange> copy(Names names) throws IOException {
        int drops =
                RestoreRequest.newBuilder().addAllDrops(index.drops()).build().getSerializedSize();
        List<List<Part>> groups = groups(
                index.parts(), Row.ORDINALS, group -> rangeBytes(group, names), (long) REQUEST_BYTES_MAX - drops);
        TreeMap<Piece, String> copies = new TreeMap<>();
        long bytes = 0;
        long all = index.bytes();
        for (Map.Entry<Piece, Integer> each : index.checksums().entrySet()) {
            Piece piece = each.getKey();
            String path = names.next("piece");
            try (InputStream in = folder.open(piece, each.getValue())) {
                if (write(in, path, piece.length()) != each.getValue()) {
                    throw damaged(piece, each.getValue());
                }
            } catch (NoSuchFileException missing) {
                throw damaged(piece, each.getValue());
            }
            copies.put(piece, path);
            bytes += piece.length();
            progress.show(Bytes.text(bytes) + " of " + Bytes.text(all) + " copied");
        }
        Map<Manifest.InlineFile, String> inline = new HashMap<>();
        for (Part part : index.parts()) {
            for (Manifest.InlineFile file : part.inlineFiles()) {
                if (!inline.containsKey(file)) {
                    String path = names.next("inline");
                    write(file.content().newInput(), path, file.content().size());
                    inline.put(file, path);
                }
            }
        }
        List<RestoredRange> ranges = new ArrayList<>();
        for (List<Part> group : groups) {
            String path = names.next("manifest");
            byte[] manifest = ManifestCodec.encode(manifest(names.row, group, new Copies(copies, inline)));
            write(new ByteArrayInputStream(manifest), path, manifest.length);
            ranges.add(range(group, path));
        }
        return ranges;
    }

    private int write(InputStream in, String path, long length) throws IOException {
        try {
            return files.write(in, path, length);
        } catch (DfsException refused) {
            throw refused.reason() == Reason.NO_SPACE
                    ? CommandFailure.failed("the DFS is full: the backup needs " + Bytes.text(index.bytes())
                            + ". The cluster is as empty as before; make room and restore again")
                    : refused;
        }
    }

    private CommandFailure damaged(Piece piece, int checksum) throws IOException {
        String problem = folder.problem(piece, checksum);
        return CommandFailure.failed("the backup is damaged: "
                + (problem == null ? piece.name() + " could not be read as it was written" : problem)
                + ". Nothing was restored, the cluster is as empty as before; 'cleave backup verify " + folder.place()
                + "' lists all that is damaged, and --number N restores an older backup");
    }

    private static RestoredRange range(List<Part> group, String manifest) {
        KeyRange interval = new KeyRange(
                group.get(0).interval().start(),
                group.get(group.size() - 1).interval().end());
        return RestoredRange.newBuilder()
                .setStart(interval.startToWire())
                .setEnd(interval.endToWire())
                .setManifest(manifest)
                .build();
    }

    /** Maximum in one request. */
    private static long rangeBytes(List<Part> group, Names names) {
        RestoreRequest alone = RestoreRequest.newBuilder()
                .addRanges(range(group, names.longest()))
                .build();
        return alone.getSerializedSize();
    }

    /** Groups neighbours so that neither bound is exceeded; one group of all if even that has too many bytes. */
    static <T> List<List<T>> groups(List<T> all, int max, ToLongFunction<List<T>> bytes, long bytesMax) {
        int size = Math.max(1, (all.size() + max - 1) / max);
        List<List<T>> groups = groupsOf(size, all);
        while (groups.size() > 1 && groups.stream().mapToLong(bytes).sum() > bytesMax) {
            size++;
            groups = groupsOf(size, all);
        }
        return groups;
    }

    private static <T> List<List<T>> groupsOf(int size, List<T> all) {
        List<List<T>> groups = new ArrayList<>();
        for (int i = 0; i < all.size(); i += size) {
            groups.add(all.subList(i, Math.min(all.size(), i + size)));
        }
        return groups;
    }

    /** The parts' manifests in one, within their intervals and with the names of the copies. */
    static Manifest manifest(Row row, List<Part> group, Copies copies) {
        List<Manifest.Checkpoint> checkpoints = new ArrayList<>();
        List<Manifest.Log> logs = new ArrayList<>();
        long highest = 0;
        DroppedTables dropped = DroppedTables.NONE;
        for (Part part : group) {
            Manifest from = part.manifest();
            highest = Math.max(highest, from.highestTimestamp());
            dropped = dropped.union(from.dropped());
            for (Manifest.Checkpoint each : from.checkpoints()) {
                KeyRange common = each.interval().intersection(part.interval());
                if (common != null) {
                    checkpoints.add(new Manifest.Checkpoint(common, copies.of(each.files())));
                }
            }
            Map<String, Long> begins = part.logBegins();
            for (Manifest.Log each : from.logs()) {
                KeyRange common = each.interval().intersection(part.interval());
                long begin = begins.getOrDefault(each.path(), 0L);
                long end = part.ends().getOrDefault(each.path(), 0L);
                if (common != null && end > begin) {
                    String path = copies.of(new Piece(each.path(), begin, end - begin));
                    logs.add(new Manifest.Log(path, common, each.offset() - begin, each.sequence()));
                }
            }
        }
        return new Manifest(row.id(), row.epoch(), checkpoints, logs, highest, dropped);
    }

    /**
     * The files of the DFS that hold the backup's data. Inline files of the backup become files of the DFS, too, since the cluster need not
     * have reached the level of inline files. Also, the files that an owner's next manifest still names show that the backup was restored.
     */
    record Copies(Map<Piece, String> pieces, Map<Manifest.InlineFile, String> inline) {
        Manifest.FileSet of(Manifest.FileSet files) {
            List<Manifest.File> all = new ArrayList<>();
            for (Manifest.File file : files.stored()) {
                String path = of(new Piece(file.path(), 0, file.length()));
                all.add(new Manifest.File(file.localName(), path, file.length()));
            }
            for (Manifest.InlineFile file : files.inline()) {
                all.add(new Manifest.File(
                        file.localName(),
                        held(file.localName(), inline.get(file)),
                        file.content().size()));
            }
            return new Manifest.FileSet(all, List.of());
        }

        String of(Piece piece) {
            return held(piece.name(), pieces.get(piece));
        }

        private static String held(String name, @Nullable String path) {
            if (path == null) {
                throw new Damaged("the backup does not hold " + name);
            }
            return path;
        }
    }

    /** False if the epoch of the copies has ended: they may be swept, and must be copied again. */
    private boolean commit(Names names, List<RestoredRange> ranges) {
        String refusal = "";
        for (int attempt = 1; attempt <= COMMITS_MAX; attempt++) {
            try {
                StatusReply status = status();
                if (isRestored(status, names)) {
                    return true; // A command whose answer was lost has done it.
                }
                List<Row> rows = emptyRows(status);
                if (names.hasLapsed(rows)) {
                    return false;
                }
                Status answer = masters.restore(request(ranges, rows));
                if (answer.getCode() == ErrorCode.OK) {
                    return true;
                }
                refusal = answer.getMessage() + " (" + answer.getCode() + ")";
                if (answer.getCode() == ErrorCode.CONDITION_FAILED && isRestored(status(), names)) {
                    return true; // An earlier request was executed: a cluster with tables is not restored twice.
                }
                if (answer.getCode() == ErrorCode.CONDITION_FAILED || answer.getCode() == ErrorCode.INVALID) {
                    break;
                }
            } catch (DfsException gone) {
                if (!isGone(gone)) {
                    throw gone;
                }
                refusal = refusal.isEmpty() ? String.valueOf(gone.getMessage()) : refusal;
            }
            masters.pause();
        }
        throw CommandFailure.failed("the masters refused the restore: " + refusal);
    }

    private RestoreRequest request(List<RestoredRange> ranges, List<Row> rows) {
        RestoreRequest.Builder request = RestoreRequest.newBuilder()
                .addAllRanges(ranges)
                .setNextTable(index.nextTable())
                .addAllDrops(index.drops());
        for (Row row : rows) {
            checkEmpty(row, true);
            request.addSources(HandoffSource.newBuilder().setRange(row.id()).setVersion(row.version()));
        }
        return request.build();
    }

    /** An owner's manifest keeps naming these files until its first checkpoint. */
    private boolean isRestored(StatusReply status, Names names) {
        return status.getMap().getRowsList().stream()
                .map(row -> row.getManifest())
                .filter(manifest -> !manifest.isEmpty())
                .anyMatch(manifest -> manifest.startsWith(names.prefix) || names(files.manifest(manifest), names));
    }

    private static boolean names(Manifest manifest, Names names) {
        return manifest.checkpoints().stream()
                        .flatMap(checkpoint -> checkpoint.files().stored().stream())
                        .anyMatch(file -> file.path().startsWith(names.prefix))
                || manifest.logs().stream().anyMatch(log -> log.path().startsWith(names.prefix));
    }

    /** Waits until every range is served. */
    void awaitServed(Duration atMost) {
        Served served = new Served();
        if (!Wait.until(served::isReached, atMost, PAUSE)) {
            throw CommandFailure.failed("the backup is restored, but after " + atMost.toSeconds() + " s "
                    + served.missing + "; 'cleave admin ranges' shows more");
        }
    }

    private final class Served {
        private String missing = "";

        boolean isReached() {
            ServedRanges ranges = ServedRanges.of(status());
            missing = ranges.missing();
            progress.show(ranges.serving() + " of " + ranges.all() + " ranges served");
            return ranges.isAll();
        }
    }
}
