package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.SmallDisk;
import cleave.deploy.TestTerminal;
import cleave.deploy.terminal.Progress;
import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsIdentityFile;
import cleave.dfs.memory.InMemoryDfs;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

class DfsCopyTest {
    private static final String CLUSTER = "11111111-2222-3333-4444-555555555555";
    private static final String OTHER_CLUSTER = "99999999-2222-3333-4444-555555555555";

    @TempDir
    private Path scratch;

    private final StringWriter shown = new StringWriter();
    private final TestTerminal terminal = new TestTerminal();
    private final List<String> notes = new ArrayList<>();
    private int idsGiven;

    private String id() {
        return "%08d-2222-3333-4444-555555555555".formatted(++idsGiven);
    }

    private DfsCopy.Result copy(Dfs source, Dfs target) throws IOException {
        try (Progress progress = new Progress(new PrintWriter(shown))) {
            return new DfsCopy(source, target, this::id, LiveCluster::join, progress, notes::add).run();
        }
    }

    private Dfs folder(String name) {
        return DfsClients.open("file:" + scratch.resolve(name), new DfsMetrics(new CollectorRegistry()));
    }

    private static void found(Dfs dfs, String cluster) {
        ClusterFile.found(dfs, new ClusterIdentity(new ClusterId(cluster), "m1"))
                .join();
    }

    private static void write(Dfs dfs, String path, ByteString bytes) {
        writeOpen(dfs, path, bytes);
        dfs.seal(path).join();
    }

    private static void writeOpen(Dfs dfs, String path, ByteString bytes) {
        DfsFile file = dfs.create(path).join();
        if (!bytes.isEmpty()) {
            file.append(bytes).join();
        }
        file.close();
    }

    private static ByteString random(int bytes, long seed) {
        byte[] content = new byte[bytes];
        new Random(seed).nextBytes(content);
        return ByteString.copyFrom(content);
    }

    private static ByteString content(Dfs dfs, FileInfo file) {
        ByteString content = ByteString.EMPTY;
        while (content.size() < file.length()) {
            content = content.concat(
                    dfs.read(file.path(), content.size(), 1 << 20).join());
        }
        return content;
    }

    private static void assertSameFiles(Dfs source, Dfs target) {
        List<FileInfo> files = files(source);
        assertThat(files(target)).isEqualTo(files);
        assertThat(files).allMatch(FileInfo::sealed);
        files.forEach(file -> assertThat(content(target, file)).isEqualTo(content(source, file)));
    }

    private static List<FileInfo> files(Dfs dfs) {
        return dfs.list("").join().stream()
                .filter(file -> !file.path().startsWith("dfs/"))
                .toList();
    }

    /** The names sort otherwise than the files were made: a folder refuses a file of an incarnation that is over. */
    private static void fill(Dfs dfs) {
        found(dfs, CLUSTER);
        write(dfs, "ranges/2.0/7-s1.9-log-1", random(100, 1));
        write(dfs, "ranges/1.0/9-s1.9-log-2", ByteString.EMPTY);
        write(dfs, "ranges/1.0/9-s1.10-sst-1", random((5 << 20) + 17, 2));
        writeOpen(dfs, "ranges/2.0/9-s1.10-log-2", random(3, 3));
        write(dfs, "map-version/5", random(8, 4));
    }

    @Test
    void allFilesAreCopiedSealedAndCompared() throws IOException {
        try (Dfs source = folder("source");
                Dfs target = folder("target")) {
            fill(source);

            DfsCopy.Result result = copy(source, target);

            assertSameFiles(source, target);
            assertThat(result.cluster()).isEqualTo(CLUSTER);
            assertThat(result.files()).isEqualTo(files(source).size());
            assertThat(result.sealed()).isEqualTo(1);
            assertThat(shown.toString()).contains("6 of 6 files, 5.0 MiB of 5.0 MiB copied and compared");
        }
    }

    @Test
    void aCopyThatWasInterruptedBetweenTwoFilesIsContinued() throws IOException {
        try (Dfs source = folder("source");
                Dfs target = folder("target")) {
            fill(source);
            write(target, "ranges/2.0/7-s1.9-log-1", random(100, 1));

            DfsCopy.Result result = copy(source, target);

            assertThat(result.present()).isEqualTo(1);
            assertThat(notes)
                    .containsExactly("TO has 1 of 6 files (100 B) from an earlier copy: they are compared, and"
                            + " not written again");
            assertSameFiles(source, target);
            assertThat(copy(source, target).present()).isEqualTo(result.files());
        }
    }

    @Test
    void aFileThatAnInterruptedCopyHasBegunStopsTheNextOneBeforeItWritesAnything() {
        try (Dfs source = folder("source");
                Dfs target = folder("target")) {
            fill(source);
            writeOpen(target, "ranges/1.0/9-s1.10-sst-1", random(5, 2));

            assertThatThrownBy(() -> copy(source, target))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("TO has 5 of the 5242897 bytes of ranges/1.0/9-s1.10-sst-1, and it is open");
            assertThat(files(target)).hasSize(1);
        }
    }

    @Test
    void theTargetBelongsToNoClusterUntilAllElseIsThere() {
        InMemoryDfs source = new InMemoryDfs();
        fill(source);
        InMemoryDfs target = new InMemoryDfs();
        target.refuseCreates(path -> path.startsWith("cluster/"));

        assertThatThrownBy(() -> copy(source, target)).hasMessageContaining("cluster/identity-1");

        assertThat(files(target)).hasSize(files(source).size() - 1);
        assertThat(target.givenUp()).as("closed before they were sealed").isEmpty();
        assertThat(ClusterFile.read(target).join()).isEmpty();
    }

    @Test
    void aFileThatDiffersIsReportedAndLeftAlone() {
        try (Dfs source = folder("source");
                Dfs target = folder("target")) {
            fill(source);
            write(target, "ranges/2.0/7-s1.9-log-1", random(100, 77));

            assertThatThrownBy(() -> copy(source, target))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("ranges/2.0/7-s1.9-log-1 differs between FROM and TO");
        }
    }

    @Test
    void theDfsOfAnotherClusterIsNoTarget() {
        InMemoryDfs source = new InMemoryDfs();
        fill(source);
        InMemoryDfs target = new InMemoryDfs();
        found(target, OTHER_CLUSTER);

        assertThatThrownBy(() -> copy(source, target))
                .hasMessageContaining(
                        "TO keeps the files of cluster " + OTHER_CLUSTER + ", FROM those of cluster " + CLUSTER);
    }

    @Test
    void aTargetWithOtherFilesIsRefused() {
        InMemoryDfs source = new InMemoryDfs();
        fill(source);
        InMemoryDfs target = new InMemoryDfs();
        write(target, "ranges/9.0/9-s9.9-log-9", random(1, 9));

        assertThatThrownBy(() -> copy(source, target))
                .hasMessageContaining("TO has 1 files that FROM does not have, such as ranges/9.0/9-s9.9-log-9");
    }

    @Test
    void aSourceWithoutAClusterIsRefused() {
        InMemoryDfs source = new InMemoryDfs();
        write(source, "ranges/9.0/9-s9.9-log-9", random(1, 9));

        assertThatThrownBy(() -> copy(source, new InMemoryDfs())).hasMessageContaining("FROM keeps no cluster");
    }

    @Test
    void aClusterThatRunsIsNoticed() {
        InMemoryDfs source = new InMemoryDfs();
        fill(source);
        InMemoryDfs target = new InMemoryDfs();
        Waiting busy = new Waiting() {
            private boolean hasWritten;

            @Override
            public <T> T await(CompletableFuture<T> work) {
                T answer = LiveCluster.join(work);
                if (!hasWritten && files(target).size() == 5) {
                    hasWritten = true;
                    writeOpen(source, "ranges/2.0/9-s1.10-log-3", random(3, 3));
                }
                return answer;
            }
        };

        try (Progress progress = new Progress(new PrintWriter(shown))) {
            assertThatThrownBy(() -> new DfsCopy(source, target, this::id, busy, progress, notes::add).run())
                    .hasMessageContaining("FROM has changed meanwhile: the cluster runs");
        }
        assertThat(ClusterFile.read(target).join()).isEmpty();
    }

    @Test
    void oneDfsUnderTwoNamesIsNoTarget() {
        InMemoryDfs source = new InMemoryDfs();
        fill(source);

        assertThatThrownBy(() -> copy(source, source))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(
                        "FROM and TO are the same DFS, 00000001-2222-3333-4444-555555555555, under two names");
        assertThat(source.isSealed("ranges/2.0/9-s1.10-log-2")).isFalse();
    }

    @Test
    void oneDfsWithoutAnOpenFileUnderTwoNamesIsNoTarget() {
        InMemoryDfs source = new InMemoryDfs();
        found(source, CLUSTER);

        assertThatThrownBy(() -> copy(source, source)).hasMessageContaining("FROM and TO are the same DFS");
    }

    @Test
    void theTargetHasAnIdOfItsOwnThatNamesItsOrigin() throws IOException {
        InMemoryDfs source = new InMemoryDfs();
        fill(source);
        DfsIdentity from = DfsIdentityFile.readOrMake(source, this::id).join();
        InMemoryDfs target = new InMemoryDfs();

        DfsCopy.Result result = copy(source, target);

        DfsIdentity to = DfsIdentityFile.readOrMake(target, this::id).join();
        assertThat(to.origin()).isEqualTo(from.id());
        assertThat(to.id()).isNotEqualTo(from.id());
        assertThat(List.of(result.from(), result.to())).containsExactly(from.id(), to.id());
        assertThat(DfsIdentityFile.readOrMake(source, this::id).join()).isEqualTo(from);
    }

    @Test
    void aCopyOfACopyNamesBothOrigins() throws IOException {
        try (Dfs first = folder("first");
                Dfs second = folder("second");
                Dfs third = folder("third")) {
            fill(first);
            String from = copy(first, second).from();
            DfsCopy.Result again = copy(second, third);

            assertSameFiles(first, third);
            assertThat(DfsIdentityFile.read(third).join().orElseThrow().origins())
                    .containsExactly(again.from(), from);
        }
    }

    @Test
    void aTargetThatWasBegunAsSomethingElseIsRefused() {
        InMemoryDfs source = new InMemoryDfs();
        fill(source);
        InMemoryDfs target = new InMemoryDfs();
        DfsIdentityFile.readOrMake(target, this::id).join();

        assertThatThrownBy(() -> copy(source, target))
                .hasMessageContaining("TO was begun as something else than a copy of FROM");
        assertThat(files(target)).isEmpty();
    }

    @Test
    void aFolderUnderTwoNamesIsNoTarget() {
        try (Dfs source = folder("source")) {
            fill(source);
        }
        String from = "file:" + scratch.resolve("source");

        assertThat(terminal.run("dfs", "copy", from, from + "/.")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("TO:").contains("in use");
    }

    @Test
    void aSchemeThatDoesNotExistIsNamed() {
        assertThat(terminal.run("dfs", "copy", "dsf:a:1", "file:" + scratch.resolve("target")))
                .isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("FROM: INVALID: 'dsf:a:1' is none of file:/some/folder, dfs:host:port");
    }

    @Test
    void theCommandSaysWhatToDoNext() {
        try (Dfs source = folder("source")) {
            fill(source);
        }
        String to = "file:" + scratch.resolve("target");

        int status = terminal.run("dfs", "copy", "file:" + scratch.resolve("source"), to);

        assertThat(status).as(terminal::err).isEqualTo(ExitCode.OK);
        assertThat(terminal.out())
                .contains("Cluster " + CLUSTER + " is whole in " + to)
                .contains("Start all its masters and servers with dfs=" + to);
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void aTargetWhoseDiskIsNearlyFullSaysSo() throws IOException {
        try (Dfs source = folder("source")) {
            found(source, CLUSTER);
            write(source, "ranges/1.0/9-s1.10-sst-1", random(12 << 20, 2));
        }
        Path small = scratch.resolve("small");
        try (SmallDisk disk = SmallDisk.mount(small, 24)) {
            Files.write(small.resolve("others"), new byte[20 << 20]);
            assertThat(disk.freeBytes()).isLessThan(5 << 20);
            int status =
                    terminal.run("dfs", "copy", "file:" + scratch.resolve("source"), "file:" + small.resolve("target"));

            assertThat(status).as(terminal::err).isEqualTo(ExitCode.FAILED);
            assertThat(terminal.err()).contains("TO has too little space");
        }
    }

    @Test
    void aDfsIsNotCopiedOntoItself() {
        assertThat(terminal.run("dfs", "copy", "dfs:a:1", "dfs:a:1")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("FROM and TO are the same DFS: dfs:a:1");
    }
}
