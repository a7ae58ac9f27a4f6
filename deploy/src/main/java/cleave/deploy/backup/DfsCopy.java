package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Progress;
import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsIdentityFile;
import cleave.dfs.state.Paths;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Copies all files of one DFS to another, path by path, so that the cluster can go on there with the masters that it has. The cluster must
 * be down. Confined to one thread.
 *
 * <p>The source's files are sealed first, as a new owner of every range would do. A server that still runs can then acknowledge nothing
 * more until masters answer it, for it needs their consent to use a new log. Each file is read back and compared once it is copied; a file
 * that the target has already is compared only, so an interrupted copy can be run again. Copies are staged where the target can do that: an
 * interrupted file leaves no name, and is begun anew. The files that identify the cluster come last, and only if the source has not changed
 * meanwhile. So a target that lacks some file belongs to no cluster, and no master starts on it.
 *
 * <p>The target gets a new id. It names the source as the origin of the target's files, and also the DFS that the source was copied from,
 * since the source may never have been used. From it the masters know that they may go on there, and that a server or master that is left
 * with the source must not.
 *
 * <p>Invariant: nothing in the target is overwritten or deleted. In the source only two things change: its files are sealed, and it gets an
 * id if it has none.
 */
final class DfsCopy {
    private static final String IDENTITY_FOLDER = "cluster/";

    private final Dfs sourceDfs;
    private final Dfs targetDfs;
    private final Supplier<String> ids;
    private final Waiting waiting;
    private final DfsFiles source;
    private final DfsFiles target;
    private final Progress progress;
    private final Consumer<String> notes;

    /**
     * The figures of a copy.
     *
     * @param from the id of the source
     * @param to that of the target
     * @param present files that the target had already
     * @param sealed files of the source that were open
     */
    record Result(String cluster, String from, String to, long files, long bytes, long present, long sealed) {}

    /**
     * @param ids gives random UUIDs
     * @param notes gets what the operator should know before the files are copied
     */
    DfsCopy(Dfs source, Dfs target, Supplier<String> ids, Waiting waiting, Progress progress, Consumer<String> notes) {
        this.ids = ids;
        this.notes = notes;
        this.sourceDfs = source;
        this.targetDfs = target;
        this.waiting = waiting;
        this.source = new DfsFiles(source, waiting);
        this.target = new DfsFiles(target, waiting);
        this.progress = progress;
    }

    /** Ends the command with a message if one is not a DFS of a cluster, the other is something else's, or the cluster is in use. */
    Result run() throws IOException {
        String cluster = cluster();
        Map<String, FileInfo> present = byPath(files(target));
        List<FileInfo> found = files(source);
        checkIsOurs(found, present);
        DfsIdentity copy = identified();
        long open = found.stream().filter(file -> !file.sealed()).count();
        List<FileInfo> files = sealed(found);
        checkCanContinue(files, present);
        tellWhatIsThere(files, present);
        copy(files, present);
        checkIsUnused(files);
        long bytes = files.stream().mapToLong(FileInfo::length).sum();
        long kept =
                files.stream().filter(file -> present.containsKey(file.path())).count();
        return new Result(cluster, copy.origin(), copy.id(), files.size(), bytes, kept, open);
    }

    private String cluster() {
        Optional<ClusterIdentity> from = waiting.await(ClusterFile.read(sourceDfs));
        Optional<ClusterIdentity> to = waiting.await(ClusterFile.read(targetDfs));
        String cluster = from.map(identity -> identity.cluster().text())
                .orElseThrow(() -> CommandFailure.usage("FROM keeps no cluster: is it the right DFS?"));
        to.map(identity -> identity.cluster().text())
                .filter(other -> !other.equals(cluster))
                .ifPresent(other -> {
                    throw CommandFailure.usage("TO keeps the files of cluster " + other + ", FROM those of cluster "
                            + cluster + ": give a DFS without a cluster as TO");
                });
        return cluster;
    }

    /** The identity of the target, which cannot be the source: that would have been a copy of itself. */
    private DfsIdentity identified() {
        DfsIdentity from = waiting.await(DfsIdentityFile.readOrMake(sourceDfs, ids));
        DfsIdentity to = waiting.await(DfsIdentityFile.make(targetDfs, DfsIdentity.ofCopy(ids.get(), from)));
        if (to.id().equals(from.id())) {
            throw CommandFailure.usage(
                    "FROM and TO are the same DFS, " + from.id() + ", under two names. Give another DFS as TO");
        }
        if (!to.origin().equals(from.id())) {
            throw CommandFailure.usage("TO is DFS " + to + ", and FROM is DFS " + from.id()
                    + ": TO was begun as something else than a copy of FROM. Give an empty DFS as TO");
        }
        return to;
    }

    /** All files but those that identify the DFS. */
    private static List<FileInfo> files(DfsFiles dfs) {
        return dfs.all().stream()
                .filter(file -> !file.path().startsWith(DfsIdentityFile.FOLDER))
                .toList();
    }

    private static boolean isIdentity(FileInfo file) {
        return file.path().startsWith(IDENTITY_FOLDER);
    }

    private static Map<String, FileInfo> byPath(List<FileInfo> files) {
        Map<String, FileInfo> byPath = new TreeMap<>();
        files.forEach(file -> byPath.put(file.path(), file));
        return byPath;
    }

    private static void checkIsOurs(List<FileInfo> files, Map<String, FileInfo> present) {
        Map<String, FileInfo> strange = new TreeMap<>(present);
        files.forEach(file -> strange.remove(file.path()));
        if (!strange.isEmpty()) {
            throw CommandFailure.usage("TO has " + strange.size() + " files that FROM does not have, such as "
                    + strange.keySet().iterator().next() + ": give an empty DFS as TO");
        }
    }

    private List<FileInfo> sealed(List<FileInfo> files) {
        return files.stream()
                .map(file -> file.sealed() ? file : new FileInfo(file.path(), source.seal(file.path()), true))
                .sorted(Comparator.comparing(DfsCopy::isIdentity)
                        .thenComparing(FileInfo::path, Paths.ORDER_OF_CREATION))
                .toList();
    }

    /** A file has one writer for its whole life, so a file that an interrupted copy has begun cannot be completed. */
    private void checkCanContinue(List<FileInfo> files, Map<String, FileInfo> present) {
        for (FileInfo file : files) {
            FileInfo copy = present.get(file.path());
            if (copy != null && !(copy.sealed() && copy.length() == file.length())) {
                throw CommandFailure.failed(
                        "TO has " + copy.length() + " of the " + file.length() + " bytes of "
                                + file.path() + (copy.sealed() ? "" : ", and it is open")
                                + ": a copy was interrupted there, and this DFS cannot continue a file. Give an empty DFS as TO");
            }
        }
    }

    private void tellWhatIsThere(List<FileInfo> files, Map<String, FileInfo> present) {
        if (!present.isEmpty()) {
            long bytes = present.values().stream().mapToLong(FileInfo::length).sum();
            notes.accept("TO has " + present.size() + " of " + files.size() + " files (" + Bytes.text(bytes)
                    + ") from an earlier copy: they are compared, and not written again");
        }
    }

    private void copy(List<FileInfo> files, Map<String, FileInfo> present) throws IOException {
        long all = files.stream().mapToLong(FileInfo::length).sum();
        long done = 0;
        int count = 0;
        boolean isUnused = false;
        for (FileInfo file : files) {
            if (!isUnused && isIdentity(file)) {
                checkIsUnused(files);
                isUnused = true;
            }
            if (!present.containsKey(file.path())) {
                try (InputStream content = source.content(file.path(), 0, file.length())) {
                    target.write(content, file.path(), file.length());
                }
            }
            compare(file);
            done += file.length();
            count++;
            progress.show(count + " of " + files.size() + " files, " + Bytes.text(done) + " of " + Bytes.text(all)
                    + " copied and compared");
        }
    }

    private void compare(FileInfo file) throws IOException {
        try (InputStream original = source.content(file.path(), 0, file.length());
                InputStream copy = target.content(file.path(), 0, file.length())) {
            byte[] left = new byte[1 << 16];
            byte[] right = new byte[1 << 16];
            int size;
            do {
                size = original.readNBytes(left, 0, left.length);
                int copied = copy.readNBytes(right, 0, right.length);
                if (!Arrays.equals(left, 0, size, right, 0, copied)) {
                    throw CommandFailure.failed(file.path() + " differs between FROM and TO: TO is no copy of FROM, or"
                            + " is damaged. Give an empty DFS as TO");
                }
            } while (size > 0);
        }
    }

    private void checkIsUnused(List<FileInfo> files) {
        Map<String, FileInfo> now = byPath(files(source));
        if (!now.equals(byPath(files))) {
            throw CommandFailure.failed(
                    "FROM has changed meanwhile: the cluster runs. Stop its masters and servers, and run"
                            + " the same command again, with an empty DFS as TO");
        }
    }
}
