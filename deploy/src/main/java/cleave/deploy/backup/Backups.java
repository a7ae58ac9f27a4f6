package cleave.deploy.backup;

import cleave.deploy.terminal.Progress;
import cleave.dfs.Dfs;
import cleave.wire.StatusReply;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Backup, restore and copies of a DFS for callers without a command line. Stateless. */
public final class Backups {
    /** Passes are at least this far apart, which is enough for a handoff, a takeover or an election. */
    static final int IDLE_PASSES_MAX = 600;

    private Backups() {}

    /** Adds a backup to a folder; CommandFailure if it could not be completed. */
    public static void make(ClusterAccess cluster, Dfs dfs, Path to) throws IOException {
        DfsFiles files = new DfsFiles(dfs, cluster);
        StatusReply status = cluster.status();
        try (BackupFolder folder =
                        BackupFolder.toWrite(to, status.getCluster(), UsedDfs.idOf(status, files.identity()));
                Progress progress = silent()) {
            folder.write(new BackupRun(cluster, files, folder, progress, IDLE_PASSES_MAX).run());
        }
    }

    /** Restores the newest backup of a folder; CommandFailure if nothing was restored. */
    public static void restore(ClusterAccess cluster, Dfs dfs, Path from) throws IOException {
        try (BackupFolder folder = BackupFolder.toRead(from);
                Progress progress = silent()) {
            BackupIndex index = folder.index(folder.choose(null));
            new RestoreRun(cluster, new DfsFiles(dfs, cluster), folder, index, progress).run();
        }
    }

    /** Copies the files of a stopped cluster to another DFS; CommandFailure if that could not be completed. */
    public static void copyDfs(Dfs from, Dfs to, Supplier<String> ids, Waiting waiting) throws IOException {
        try (Progress progress = silent()) {
            new DfsCopy(from, to, ids, waiting, progress, note -> {}).run();
        }
    }

    private static Progress silent() {
        return new Progress(new PrintWriter(Writer.nullWriter()));
    }
}
