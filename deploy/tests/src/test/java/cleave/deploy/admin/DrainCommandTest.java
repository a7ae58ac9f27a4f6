package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
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
import org.junit.jupiter.api.Test;

class DrainCommandTest {
    private static final Incarnation SERVER =
            Incarnation.newBuilder().setServer("s1").setNumber(3).build();

    private final TestTerminal terminal = new TestTerminal();

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
        try (RpcServer listening = RpcServer.start("127.0.0.1:0", master)) {
            String command = "admin drain s1 --masters " + listening.address() + " " + String.join(" ", more);
            return terminal.run(command.trim().split(" "));
        }
    }

    @Test
    void itEndsWhenTheServerOwnsNothing() {
        assertThat(drain(new FakeMaster(0, true))).isEqualTo(ExitCode.OK);
        assertThat(terminal.out()).contains("it can be shut down");
    }

    @Test
    void itDoesNotWaitForAServerWhoseDrainWasUndone() {
        assertThat(drain(new FakeMaster(2, false))).isEqualTo(ExitCode.FAILED);
        assertThat(terminal.err()).contains("is no longer draining but owns 2 ranges");
    }

    @Test
    void itSaysHowManyRangesAreLeftWhenItsTimeIsUp() {
        assertThat(drain(new FakeMaster(2, true), "--wait", "1")).isEqualTo(ExitCode.FAILED);
        assertThat(terminal.err()).contains("still owns 2 ranges");
    }
}
