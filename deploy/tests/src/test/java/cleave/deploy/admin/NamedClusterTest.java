package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminMoveRequest;
import cleave.wire.CommandReply;
import cleave.wire.Setting;
import cleave.wire.SettingsChange;
import cleave.wire.SettingsReply;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An operator may say which cluster is meant, and is told which one was changed. */
class NamedClusterTest {
    private static final String OWN = "11111111-2222-4333-8444-555555555555";
    private static final String OTHER = "99999999-2222-4333-8444-555555555555";

    private final TestTerminal terminal = new TestTerminal();
    private final AtomicInteger changes = new AtomicInteger();

    private final class FakeMaster extends AdminGrpc.AdminImplBase {
        @Override
        public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
            answer.onNext(StatusReply.newBuilder().setCluster(OWN).build());
            answer.onCompleted();
        }

        @Override
        public void move(AdminMoveRequest request, StreamObserver<CommandReply> answer) {
            changes.incrementAndGet();
            answer.onNext(CommandReply.getDefaultInstance());
            answer.onCompleted();
        }

        @Override
        public void changeSettings(SettingsChange request, StreamObserver<SettingsReply> answer) {
            changes.incrementAndGet();
            answer.onNext(SettingsReply.newBuilder()
                    .addSettings(Setting.newBuilder().setName("a").setValue("b"))
                    .build());
            answer.onCompleted();
        }
    }

    private int admin(String command) {
        try (RpcServer master = RpcServer.start(Transport.PLAIN, List.of("127.0.0.1:0"), () -> OWN, new FakeMaster())) {
            return terminal.run(("admin " + command + " --masters " + master.address()).split(" "));
        }
    }

    @Test
    void aChangeNamesTheClusterInWhichItWasMade() {
        assertThat(admin("move 1.0 --to s2")).isEqualTo(ExitCode.OK);
        assertThat(terminal.out()).contains("is now owned by s2.\n# cluster " + OWN + "\n");
        assertThat(admin("settings set a=b")).isEqualTo(ExitCode.OK);
        assertThat(terminal.out()).endsWith("a=b\n# cluster " + OWN + "\n");
    }

    @Test
    void theClusterThatIsMeantIsChanged() {
        assertThat(admin("move 1.0 --to s2 --cluster " + OWN)).isEqualTo(ExitCode.OK);
        assertThat(changes).hasValue(1);
    }

    @Test
    void anotherClusterIsNotChanged() {
        assertThat(admin("move 1.0 --to s2 --cluster " + OTHER)).isEqualTo(ExitCode.FAILED);
        assertThat(terminal.err())
                .contains("nothing was done")
                .contains("this process belongs to cluster " + OWN + ", its caller to cluster " + OTHER);
        assertThat(changes).hasValue(0);
    }

    @Test
    void whatStandsBeforeASubcommandCountsToo() {
        assertThat(admin("settings --cluster " + OTHER + " set a=b")).isEqualTo(ExitCode.FAILED);
        assertThat(changes).hasValue(0);
    }

    @Test
    void whatIsNoIdIsAMistake() {
        assertThat(admin("leader --cluster production")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("--cluster: 'production' is not a cluster id");
    }

    @Test
    void aFoundingNamesNoCluster() {
        assertThat(admin("masters found --cluster " + OWN)).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("leave out --cluster");
    }
}
