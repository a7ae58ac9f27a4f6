package cleave.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsFile;
import cleave.model.Ticks;
import cleave.route.rpc.StatusCall;
import cleave.runtime.loop.Await;
import cleave.wire.ErrorCode;
import cleave.wire.FoundReply;
import cleave.wire.MasterGrpc;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.ratis.util.FileUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slips of operators do no harm to a cluster: nothing is founded beside it, nothing is deleted, and the message says what to do. */
class ClusterIdentityIT {
    private static final String FILE = "ranges/0.1/1-s1.1-log-1";

    @TempDir
    Path dir;

    /** A cluster with a file in its DFS that no map knows, whose masters have ended. */
    private Masters founded(int count) {
        Masters masters = new Masters(dir, count);
        masters.startAll();
        for (int i = 1; i <= count; i++) {
            masters.stop("m" + i);
        }
        DfsFile file = masters.dfs().create(FILE).join();
        file.append(ByteString.copyFromUtf8("precious")).join();
        return masters;
    }

    private static List<String> files(Masters masters) {
        return masters.dfs().list("ranges/").join().stream().map(FileInfo::path).toList();
    }

    /** It says whose files the DFS keeps, and of its own folder that it is none of that cluster's. */
    private static void awaitBlank(Masters masters, String id, String cluster) {
        Await.until(
                "the message of " + id,
                () -> masters.master(id).readiness().missing().contains(cluster));
        assertThat(masters.master(id).readiness().missing())
                .contains("blank", "master.dir", "cleave admin masters replace");
        StatusReply status = StatusCall.ask(
                masters.channels.to(masters.address(id)), StatusRequest.getDefaultInstance(), 30_000_000_000L);
        assertThat(status.getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(status.getStatus().getMessage()).contains(cluster);
    }

    @Test
    void aMasterThatWasWipedStaysBlankWhileTheOthersGoOn() {
        try (Masters masters = founded(3)) {
            String cluster = masters.cluster();
            List<String> before = files(masters);
            masters.loseDisk("m3");

            masters.startBlank();

            masters.awaitReady("m1");
            awaitBlank(masters, "m3", cluster);
            assertThat(files(masters)).isEqualTo(before);
        }
    }

    @Test
    void twoOfThreeThatWereWipedFoundNothing() {
        try (Masters masters = founded(3)) {
            String cluster = masters.cluster();
            List<String> before = files(masters);
            masters.loseDisk("m2");
            masters.loseDisk("m3");

            masters.startBlank();

            awaitBlank(masters, "m2", cluster);
            awaitBlank(masters, "m3", cluster);
            FoundReply refused = masters.found("m2");
            assertThat(refused.getStatus().getCode()).isEqualTo(ErrorCode.ALREADY_EXISTS);
            assertThat(refused.getStatus().getMessage()).contains(cluster, "start its masters with their old folders");
            assertThat(masters.master("m1").readiness().ready()).isFalse();
            assertThat(files(masters)).isEqualTo(before);
        }
    }

    @Test
    void theFolderOfAnotherMasterIsRefused() throws IOException {
        try (Masters masters = founded(3)) {
            masters.set("m1", "master.dir", masters.folder("m2").toString());

            assertThatThrownBy(() -> masters.start("m1"))
                    .hasMessageContaining("that of master m2 of cluster " + masters.cluster())
                    .hasMessageContaining("this is master m1");
        }
    }

    @Test
    void aFolderWhoseLogIsGoneIsRefused() throws IOException {
        try (Masters masters = founded(3)) {
            FileUtils.deleteFully(masters.folder("m1").resolve("raft"));

            assertThatThrownBy(() -> masters.start("m1"))
                    .hasMessageContaining("member of cluster " + masters.cluster())
                    .hasMessageContaining("its Raft log is gone");
        }
    }

    @Test
    void aServerOfAnotherClusterIsNotLetIn() {
        try (Masters masters = founded(1)) {
            masters.start("m1");
            masters.awaitReady("m1");
            String other = "99999999-2222-3333-4444-555555555555";

            RegisterReply reply = MasterGrpc.newBlockingStub(masters.channels.to(masters.address("m1")))
                    .register(RegisterRequest.newBuilder()
                            .setServer("s1")
                            .setAddress("127.0.0.1:1")
                            .setClockTicks(Ticks.of(Instant.now()))
                            .setCluster(other)
                            .build());

            assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
            assertThat(reply.getStatus().getMessage()).contains(other, masters.cluster(), "dfs");
        }
    }
}
