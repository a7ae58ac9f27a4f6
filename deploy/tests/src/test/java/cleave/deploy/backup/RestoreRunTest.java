package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.terminal.Progress;
import cleave.dfs.Dfs;
import cleave.dfs.DfsFile;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.runtime.rpc.RpcServer;
import cleave.wire.AdminGrpc;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.MapUpdate;
import cleave.wire.RestoreRequest;
import cleave.wire.RestoredRange;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestoreRunTest {
    @TempDir
    private Path scratch;

    /** The masters of an empty cluster, which refuse every restore, and may have done it. */
    private static final class RefusingMaster extends AdminGrpc.AdminImplBase {
        private final boolean hasDoneIt;
        private volatile String manifest = "";
        private volatile RestoreRequest last = RestoreRequest.getDefaultInstance();
        private final AtomicInteger restores = new AtomicInteger();

        RefusingMaster(boolean hasDoneIt) {
            this.hasDoneIt = hasDoneIt;
        }

        @Override
        public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
            boolean isEmpty = manifest.isEmpty();
            Row row = isEmpty
                    ? new Row(Row.id(1, 0), KeyRange.ALL, null, null, 1, 1)
                    : new Row(Row.id(5, 0), KeyRange.ALL, null, manifest, 5, 5);
            answer.onNext(StatusReply.newBuilder()
                    .setStatus(Status.newBuilder().setCode(ErrorCode.OK))
                    .setCluster("c2")
                    .setNextTable(isEmpty ? 1 : 9)
                    .setMap(MapUpdate.newBuilder().setVersion(7).addRows(row.toWire()))
                    .build());
            answer.onCompleted();
        }

        @Override
        public void restore(RestoreRequest request, StreamObserver<CommandReply> answer) {
            restores.incrementAndGet();
            last = request;
            if (hasDoneIt) {
                manifest = request.getRanges(0).getManifest();
            }
            answer.onNext(CommandReply.newBuilder()
                    .setStatus(Status.newBuilder()
                            .setCode(ErrorCode.CONDITION_FAILED)
                            .setMessage("the cluster has had tables"))
                    .build());
            answer.onCompleted();
        }
    }

    /** Keeps lengths only. */
    private static final class Lengths implements Dfs {
        private final Map<String, Long> lengths = new ConcurrentHashMap<>();

        @Override
        public CompletableFuture<DfsFile> create(String path) {
            lengths.put(path, 0L);
            return CompletableFuture.completedFuture(new DfsFile() {
                @Override
                public String path() {
                    return path;
                }

                @Override
                public CompletableFuture<Long> append(ByteString bytes, Purpose purpose) {
                    return CompletableFuture.completedFuture(lengths.merge(path, (long) bytes.size(), Long::sum));
                }

                @Override
                public CompletableFuture<Void> barrier() {
                    return CompletableFuture.completedFuture(null);
                }

                @Override
                public void close() {}
            });
        }

        @Override
        public CompletableFuture<Long> seal(String path) {
            return CompletableFuture.completedFuture(lengths.getOrDefault(path, 0L));
        }

        @Override
        public CompletableFuture<ByteString> read(String path, long offset, int length) {
            throw new AssertionError("nothing is to be read, but " + path);
        }

        @Override
        public CompletableFuture<FileInfo> stat(String path) {
            return CompletableFuture.completedFuture(new FileInfo(path, lengths.getOrDefault(path, 0L), true));
        }

        @Override
        public CompletableFuture<List<FileInfo>> list(String prefix) {
            throw new AssertionError("nothing is to be listed");
        }

        @Override
        public CompletableFuture<Void> delete(String path) {
            throw new AssertionError("nothing is to be deleted, but " + path);
        }

        @Override
        public void close() {}
    }

    private static Part empty(KeyRange interval) {
        return new Part(1, 1, interval, Part.nothing(1, 1), new TreeMap<>());
    }

    private void restore(RefusingMaster master, String address) throws Exception {
        restore(master, address, List.of(empty(KeyRange.ALL)));
    }

    private void restore(RefusingMaster master, String address, List<Part> parts) throws Exception {
        BackupIndex index = new BackupIndex("c1", 1, 0, 0, 9, List.of(), parts, new TreeMap<>());
        BackupFolder.toWrite(scratch.resolve("backups"), "c1", "").close();
        try (RpcServer server = RpcServer.start(address, master);
                AdminClient masters = new AdminClient(List.of(server.address()));
                BackupFolder folder = BackupFolder.toRead(scratch.resolve("backups"));
                Progress progress = new Progress(new PrintWriter(new StringWriter()));
                Dfs dfs = new Lengths()) {
            ClusterAccess access = new LiveCluster(masters);
            new RestoreRun(access, new DfsFiles(dfs, access), folder, index, progress).run();
        }
    }

    /** The command was sent twice, and its second sending is refused because of its first. */
    @Test
    void whatIsRestoredIsNotReportedAsRefused() {
        RefusingMaster master = new RefusingMaster(true);
        assertThatCode(() -> restore(master, "inproc:restore-done")).doesNotThrowAnyException();
        assertThat(master.restores).hasValue(1);
    }

    @Test
    void aRefusalIsReported() {
        assertThatThrownBy(() -> restore(new RefusingMaster(false), "inproc:restore-refused"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the masters refused the restore: the cluster has had tables");
    }

    /** Masters whose map is older than the files that it names: the next answer names others. */
    private static class ChangingMasters implements ClusterAccess {
        private final boolean isRestored;
        private final ArrayDeque<String> manifests;
        private String cluster = "c2";
        private String copied = "";
        private int restores;

        ChangingMasters(boolean isRestored, String... manifests) {
            this.isRestored = isRestored;
            this.manifests = new ArrayDeque<>(List.of(manifests));
        }

        @Override
        public StatusReply status() {
            boolean done = isRestored && restores > 0;
            String next = done || !isRestored ? manifests.poll() : "";
            String manifest = next == null ? copied : next;
            Row row = new Row(Row.id(1, 0), KeyRange.ALL, null, manifest.isEmpty() ? null : manifest, 1, 1);
            return StatusReply.newBuilder()
                    .setStatus(Status.newBuilder().setCode(ErrorCode.OK))
                    .setCluster(cluster)
                    .setNextTable(done ? 9 : 1)
                    .setMap(MapUpdate.newBuilder().setVersion(7).addRows(row.toWire()))
                    .build();
        }

        @Override
        public Status restore(RestoreRequest request) {
            restores++;
            copied = request.getRanges(0).getManifest();
            return Status.newBuilder()
                    .setCode(isRestored ? ErrorCode.CONDITION_FAILED : ErrorCode.OK)
                    .build();
        }

        @Override
        public void pause() {}

        @Override
        public <T> T await(CompletableFuture<T> work) {
            return LiveCluster.join(work);
        }
    }

    private void restore(ChangingMasters masters) throws Exception {
        BackupIndex index = new BackupIndex("c1", 1, 0, 0, 9, List.of(), List.of(empty(KeyRange.ALL)), new TreeMap<>());
        BackupFolder.toWrite(scratch.resolve("backups"), "c1", "").close();
        try (BackupFolder folder = BackupFolder.toRead(scratch.resolve("backups"));
                Progress progress = new Progress(new PrintWriter(new StringWriter()))) {
            new RestoreRun(masters, new DfsFiles(new InMemoryDfs(), masters), folder, index, progress).run();
        }
    }

    /** An owner has made its first checkpoint since the map was read, and deleted the manifest of the restore. */
    @Test
    void whatIsRestoredIsNotReportedAsFailedSinceAManifestWasReplaced() throws Exception {
        ChangingMasters masters = new ChangingMasters(true, "ranges/1/gone", "ranges/1/gone-too");
        restore(masters);
        assertThat(masters.restores).isEqualTo(1);
    }

    @Test
    void theEmptyClustersOwnManifestMayBeReplacedMeanwhile() throws Exception {
        ChangingMasters masters = new ChangingMasters(false, "ranges/1/gone", "", "ranges/1/gone-too", "", "");
        restore(masters);
        assertThat(masters.restores).isEqualTo(1);
    }

    @Test
    void mastersOfTwoClustersAreNotTakenForOne() {
        ChangingMasters masters = new ChangingMasters(false, "") {
            @Override
            public StatusReply status() {
                StatusReply status = super.status();
                super.cluster = "c3";
                return status;
            }
        };
        assertThatThrownBy(() -> restore(masters))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("were of cluster c2 and are of cluster c3 now");
        assertThat(masters.restores).isZero();
    }

    /** More than the masters take in one command: each bound of 1.5 KiB is in it twice. */
    @Test
    void manyRangesOfLongKeysAreRestoredInOneCommand() throws Exception {
        List<Part> parts = new ArrayList<>();
        Key start = Key.MIN;
        for (int i = 1; i < Row.ORDINALS; i++) {
            Key end = Key.beforePartition(3, "%04d".formatted(i) + "\u4e16".repeat(508));
            parts.add(empty(new KeyRange(start, end)));
            start = end;
        }
        parts.add(empty(new KeyRange(start, null)));
        RefusingMaster master = new RefusingMaster(true);
        restore(master, "inproc:restore-long", parts);
        assertThat(master.last.getSerializedSize()).isBetween(1 << 19, (1 << 20) - 1024);
        ByteString next = ByteString.EMPTY;
        for (RestoredRange range : master.last.getRangesList()) {
            assertThat(range.getStart()).isEqualTo(next);
            next = range.getEnd();
        }
        assertThat(next.isEmpty()).isTrue();
    }
}
