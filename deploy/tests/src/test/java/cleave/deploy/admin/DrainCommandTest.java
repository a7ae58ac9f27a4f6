package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.Cleave;
import cleave.deploy.ExitCode;
import cleave.runtime.rpc.RpcServer;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminGrpc;
import cleave.wire.CommandReply;
import cleave.wire.Incarnation;
import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.ServerInfo;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.StreamObserver;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DrainCommandTest {
    private static final Incarnation SERVER =
            Incarnation.newBuilder().setServer("s1").setNumber(3).build();

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** A master that takes every drain, and whose map gives the server so many ranges. */
    private static final class FakeMaster extends AdminGrpc.AdminImplBase {
        private final MapUpdate.Builder map = MapUpdate.newBuilder();

        FakeMaster(int ranges, boolean draining) {
            map.addServers(ServerInfo.newBuilder().setIncarnation(SERVER).setDraining(draining));
            for (int i = 0; i < ranges; i++) {
                map.addRows(RangeRow.newBuilder().setOwner(SERVER));
            }
        }

        @Override
        public void drain(AdminDrainRequest request, StreamObserver<CommandReply> answer) {
            answer.onNext(CommandReply.getDefaultInstance());
            answer.onCompleted();
        }

        @Override
        public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
            answer.onNext(StatusReply.newBuilder().setMap(map).build());
            answer.onCompleted();
        }
    }

    private int drain(FakeMaster master, String... more) {
        CommandLine line = Cleave.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        try (RpcServer listening = RpcServer.start("127.0.0.1:0", master)) {
            String command = "admin drain s1 --masters " + listening.address() + " " + String.join(" ", more);
            return line.execute(command.trim().split(" "));
        }
    }

    @Test
    void itEndsWhenTheServerOwnsNothing() {
        assertThat(drain(new FakeMaster(0, true))).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).contains("it can be shut down");
    }

    @Test
    void itDoesNotWaitForAServerWhoseDrainWasUndone() {
        assertThat(drain(new FakeMaster(2, false))).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("is no longer draining but owns 2 ranges");
    }

    @Test
    void itSaysHowManyRangesAreLeftWhenItsTimeIsUp() {
        assertThat(drain(new FakeMaster(2, true), "--wait", "1")).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("still owns 2 ranges");
    }
}
