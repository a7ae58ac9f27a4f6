package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Progress;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import cleave.server.dfs.FileTransfer;
import cleave.wire.ErrorCode;
import cleave.wire.MapUpdate;
import cleave.wire.PendingDrop;
import cleave.wire.RestoreRequest;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import com.google.protobuf.ByteString;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a cluster that changes between their steps. */
class BackupRunTest {
    private static final KeyRange REGISTRY = new KeyRange(Key.MIN, Key.beforeTable(1));
    private static final KeyRange TABLES = new KeyRange(Key.beforeTable(1), null);
    private static final int IDLE_PASSES_MAX = 5;

    @TempDir
    private Path scratch;

    private final InMemoryDfs dfs = new InMemoryDfs();
    private final Masters masters = new Masters();

    /** Ends a backup as SIGKILL does: nothing is cleaned up after it. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /** The masters of two ranges; a test says what happens before each of their answers. */
    private static final class Masters implements ClusterAccess {
        private final TreeMap<Long, Row> rows = new TreeMap<>();
        private final List<PendingDrop> drops = new ArrayList<>();
        private long mark = 1;
        private int answers;
        private IntConsumer before = answer -> {};
        /** Calls of the masters and the DFS until the backup is killed. */
        private int callsLeft = Integer.MAX_VALUE;

        private void call() {
            if (callsLeft-- == 0) {
                throw new Killed();
            }
        }

        @Override
        public StatusReply status() {
            call();
            before.accept(++answers);
            MapUpdate.Builder map = MapUpdate.newBuilder().setVersion(9);
            rows.values().forEach(row -> map.addRows(row.toWire()));
            return StatusReply.newBuilder()
                    .setStatus(Status.newBuilder().setCode(ErrorCode.OK))
                    .setCluster("c1")
                    .setNextTable(7)
                    .setDropsMark(mark)
                    .addAllDrops(drops)
                    .setMap(map)
                    .build();
        }

        @Override
        public Status restore(RestoreRequest request) {
            throw new AssertionError("a backup restores nothing");
        }

        @Override
        public void pause() {}

        @Override
        public <T> T await(CompletableFuture<T> work) {
            call();
            return LiveCluster.join(work);
        }
    }

    private DfsFile write(String path, String text) {
        DfsFile file = dfs.create(path).join();
        file.append(ByteString.copyFromUtf8(text), Purpose.WRITE).join();
        return file;
    }

    /** The row of a range whose manifest names one log. */
    private DfsFile range(long id, KeyRange interval, String log, String text) {
        DfsFile file = write(log, text);
        name(id, interval, log + "-manifest", log);
        return file;
    }

    private void name(long id, KeyRange interval, String path, String... logs) {
        List<Manifest.Log> named = new ArrayList<>();
        for (String log : logs) {
            named.add(new Manifest.Log(log, interval, 0, 1 + named.size()));
        }
        name(interval, path, new Manifest(id, 3, List.of(), named, 0, DroppedTables.NONE));
    }

    private void name(KeyRange interval, String path, Manifest manifest) {
        dfs.create(path)
                .join()
                .append(ByteString.copyFrom(ManifestCodec.encode(manifest)), Purpose.CHECKPOINT)
                .join();
        dfs.seal(path).join();
        masters.rows.put(manifest.range(), new Row(manifest.range(), interval, null, path, 3, 3));
    }

    private BackupIndex backup() throws Exception {
        try (BackupFolder folder = BackupFolder.toWrite(scratch.resolve("backups"), "c1", "");
                Progress progress = new Progress(new PrintWriter(Writer.nullWriter()))) {
            return new BackupRun(masters, new DfsFiles(dfs, masters), folder, progress, IDLE_PASSES_MAX).run();
        }
    }

    private boolean hasCopied(String path, String name) {
        String[] copied = scratch.resolve("backups/data").resolve(path).toFile().list();
        return copied != null && List.of(copied).stream().anyMatch(each -> each.startsWith(name));
    }

    private static long end(BackupIndex index, String log) {
        return index.parts().stream()
                .flatMap(part -> part.ends().entrySet().stream())
                .filter(each -> each.getKey().equals(log))
                .mapToLong(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachRangeIsCopiedUpToItsEnd() throws Exception {
        range(1, REGISTRY, "r/1", "tables");
        range(2, TABLES, "r/2", "rows");
        BackupIndex index = backup();
        assertThat(end(index, "r/1")).isEqualTo(6);
        assertThat(end(index, "r/2")).isEqualTo(4);
        assertThat(index.drops()).isEmpty();
    }

    /** A backup is used when the DFS is gone: its bytes must be those that were stored. */
    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void aFileThatIsNotWhatWasUploadedIsNotBackedUp() throws Exception {
        range(1, REGISTRY, "r/1", "tables");
        String text = "sorted entities";
        write("r/sorted", text.replace('s', 't'));
        int sent = FileTransfer.checksum(text.getBytes(StandardCharsets.UTF_8));
        Manifest.File file = new Manifest.File("000008.sst", "r/sorted", text.length(), sent);
        Manifest.Checkpoint checkpoint = new Manifest.Checkpoint(TABLES, Manifest.FileSet.of(file));
        name(TABLES, "r/manifest", new Manifest(2, 3, List.of(checkpoint), List.of(), 0, DroppedTables.NONE));

        assertThatThrownBy(this::backup)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("r/sorted is damaged in the DFS");
        assertThat(hasCopied("r", "sorted")).isFalse();
    }

    /** Else the backup would hold the mark of a table being deleted, which nobody would ever finish: its name would be lost. */
    @Test
    void aDropThatBeginsAndEndsWhileTheRegistryIsCopiedMakesItBeCopiedAgain() throws Exception {
        DfsFile registry = range(1, REGISTRY, "r/1", "table marked");
        range(2, TABLES, "r/2", "rows");
        boolean[] ended = new boolean[1];
        masters.before = answer -> {
            if (hasCopied("r", "1@0+12.") && !ended[0]) {
                ended[0] = true; // After the registry was copied, and before the next answer.
                registry.append(ByteString.copyFromUtf8(", gone"), Purpose.WRITE)
                        .join();
                masters.mark++;
            }
        };
        assertThat(end(backup(), "r/1")).isEqualTo(18);
        assertThat(ended).containsExactly(true);
    }

    @Test
    void aDropThatIsUnderWayAtTheEndIsKept() throws Exception {
        range(1, REGISTRY, "r/1", "tables");
        range(2, TABLES, "r/2", "rows");
        PendingDrop drop = PendingDrop.newBuilder()
                .setAccount("a")
                .setName("t")
                .setTable(5)
                .build();
        masters.before = answer -> {
            if (answer == 3) {
                masters.mark++;
                masters.drops.add(drop);
            }
        };
        assertThat(backup().drops()).containsExactly(drop);
    }

    @Test
    void endlessDropsAreReported() {
        range(1, REGISTRY, "r/1", "tables");
        range(2, TABLES, "r/2", "rows");
        masters.before = answer -> masters.mark++;
        assertThatThrownBy(this::backup)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("makes no progress: tables are deleted all the time")
                .hasMessageContaining("run the same command again");
    }

    @Test
    void anOlderMasterIsToldToBeUpgraded() {
        masters.mark = 0;
        assertThatThrownBy(this::backup)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("too old to be backed up; upgrade the masters");
    }

    /** The row names another manifest by then; the files of the old one are neither lost nor empty. */
    @Test
    void aMissingManifestIsLookedUpAgain() throws Exception {
        range(1, REGISTRY, "r/1", "tables");
        range(2, TABLES, "r/2", "rows");
        masters.before = answer -> {
            if (answer == 1) {
                dfs.delete("r/2-manifest").join();
            } else if (answer == 3) {
                dfs.seal("r/2").join();
                write("r/3", "more");
                name(2, TABLES, "r/3-manifest", "r/2", "r/3");
            }
        };
        BackupIndex index = backup();
        assertThat(end(index, "r/2")).isEqualTo(4);
        assertThat(end(index, "r/3")).isEqualTo(4);
    }

    @Test
    void aMissingLogIsNotTakenForAnEmptyOne() {
        range(1, REGISTRY, "r/1", "tables");
        range(2, TABLES, "r/2", "rows");
        dfs.delete("r/2").join();
        assertThatThrownBy(this::backup)
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("makes no progress: range ")
                .hasMessageContaining("r/2");
    }

    /** It is being replaced: records of the new log may come after records that the old one still gets. */
    @Test
    void aLogBeforeTheLastIsWaitedForUntilItIsSealed() throws Exception {
        range(1, REGISTRY, "r/1", "tables");
        DfsFile old = range(2, TABLES, "r/2", "rows");
        write("r/3", "");
        name(2, TABLES, "r/3-manifest", "r/2", "r/3");
        masters.before = answer -> {
            if (answer == 3) {
                old.append(ByteString.copyFromUtf8(" late"), Purpose.WRITE).join();
                dfs.seal("r/2").join();
            }
        };
        BackupIndex index = backup();
        assertThat(end(index, "r/2")).isEqualTo(9);
        assertThat(end(index, "r/3")).isZero();
    }

    @Test
    void everyRangeThatCannotBeTakenIsNamed() {
        range(1, REGISTRY, "r/1", "tables");
        range(2, new KeyRange(Key.beforeTable(1), Key.beforeTable(2)), "r/2", "rows");
        range(3, new KeyRange(Key.beforeTable(2), null), "r/3", "rows");
        dfs.delete("r/2").join();
        dfs.delete("r/3").join();
        assertThatThrownBy(this::backup).hasMessageContaining("r/2").hasMessageContaining("r/3");
    }

    @Test
    void aRunThatIsKilledAtAnyCallLeavesNoBackupAndTheNextRunMakesIt() throws Exception {
        range(1, REGISTRY, "r/1", "tables");
        range(2, TABLES, "r/2", "rows");
        int kills = 0;
        while (isKilledAt(kills)) {
            kills++;
        }
        assertThat(kills).isGreaterThan(10);
        try (BackupFolder folder = BackupFolder.toRead(scratch.resolve("backups"))) {
            BackupIndex index = folder.index(folder.choose(null));
            assertThat(index.number()).isEqualTo(1);
            for (Map.Entry<Piece, Integer> each : index.checksums().entrySet()) {
                assertThat(folder.problem(each.getKey(), each.getValue())).isNull();
            }
        }
    }

    private boolean isKilledAt(int call) throws Exception {
        masters.callsLeft = call;
        try (BackupFolder folder = BackupFolder.toWrite(scratch.resolve("backups"), "c1", "")) {
            try (Progress progress = new Progress(new PrintWriter(Writer.nullWriter()))) {
                folder.write(
                        new BackupRun(masters, new DfsFiles(dfs, masters), folder, progress, IDLE_PASSES_MAX).run());
                return false;
            } catch (Killed killed) {
                assertThat(folder.numbers()).isEmpty();
                return true;
            }
        }
    }
}
