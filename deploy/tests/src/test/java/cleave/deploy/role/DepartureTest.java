package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Incarnation;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminGrpc;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DepartureTest {
    private static final Incarnation SELF = new Incarnation("s1", 5);
    private static final long LONG_ENOUGH = Duration.ofMinutes(1).toNanos();

    /** A master that answers every drain alike, and whose map gives the server a range for some looks at it. */
    private static final class FakeMaster extends AdminGrpc.AdminImplBase {
        private final ErrorCode code;
        private final int looks;
        private final Queue<String> drained = new ConcurrentLinkedQueue<>();
        private final AtomicInteger looked = new AtomicInteger();
        private volatile Runnable atEachLook = () -> {};
        /** Drains that it answers with nothing, or with NOT_LEADER, before the others. */
        private final AtomicInteger unanswered = new AtomicInteger();

        private final AtomicInteger followed = new AtomicInteger();

        FakeMaster(ErrorCode code, int looks) {
            this.code = code;
            this.looks = looks;
        }

        @Override
        public void drain(AdminDrainRequest request, StreamObserver<CommandReply> answer) {
            if (unanswered.getAndDecrement() > 0) {
                return;
            }
            if (followed.getAndDecrement() > 0) {
                Status follower =
                        Status.newBuilder().setCode(ErrorCode.NOT_LEADER).build();
                answer.onNext(CommandReply.newBuilder().setStatus(follower).build());
                answer.onCompleted();
                return;
            }
            drained.add(request.getServer() + "." + request.getNumber());
            answer.onNext(CommandReply.newBuilder().setStatus(status()).build());
            answer.onCompleted();
        }

        @Override
        public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
            atEachLook.run();
            boolean looksOn = looked.incrementAndGet() <= looks;
            Incarnation owner = looksOn ? SELF : new Incarnation(SELF.server(), SELF.number() + 1);
            answer.onNext(StatusReply.newBuilder()
                    .setStatus(status())
                    .setMap(MapUpdate.newBuilder().addRows(RangeRow.newBuilder().setOwner(owner.toWire())))
                    .build());
            answer.onCompleted();
        }

        private Status status() {
            return Status.newBuilder().setCode(code).build();
        }
    }

    private final Channels channels = new Channels();

    @AfterEach
    void close() {
        channels.close();
    }

    private void prepare(FakeMaster master, String name, long nanosMax, EndSignals signals) {
        try (RpcServer rpc = RpcServer.start("inproc:departure-" + name, master)) {
            Departure.prepare(channels, List.of(rpc.address()), SELF, nanosMax, signals);
        }
    }

    @Test
    void aServerOfAnotherClusterIsNotDrained() {
        FakeMaster master = new FakeMaster(ErrorCode.OK, 0);
        channels.ofCluster(() -> "a");
        List<String> listen = List.of("inproc:departure-stranger");
        try (RpcServer rpc = RpcServer.start(Transport.PLAIN, listen, () -> "b", master)) {
            Departure.prepare(channels, List.of(rpc.address()), SELF, 1, new EndSignals());
        }
        assertThat(master.drained).isEmpty();
    }

    @Test
    void aServerWaitsUntilItOwnsNothingWhateverASuccessorOfItsIdOwns() {
        FakeMaster master = new FakeMaster(ErrorCode.OK, 2);
        prepare(master, "waits", LONG_ENOUGH, new EndSignals());
        assertThat(master.drained).containsExactly("s1.5");
        assertThat(master.looked).hasValue(3);
    }

    @Test
    void aServerThatNobodyCanRelieveLeavesAtOnce() {
        FakeMaster master = new FakeMaster(ErrorCode.CONDITION_FAILED, 1_000);
        prepare(master, "refused", LONG_ENOUGH, new EndSignals());
        assertThat(master.drained).hasSize(1);
        assertThat(master.looked).hasValue(0);
    }

    @Test
    void aServerWhoseIdAnotherProcessHasTakenLeavesAtOnce() {
        FakeMaster master = new FakeMaster(ErrorCode.DEAD_INCARNATION, 1_000);
        prepare(master, "replaced", LONG_ENOUGH, new EndSignals());
        assertThat(master.drained).containsExactly("s1.5");
        assertThat(master.looked).hasValue(0);
    }

    @Test
    void theLeaderIsFoundAmongTheMasters() {
        FakeMaster follower = new FakeMaster(ErrorCode.NOT_LEADER, 0);
        FakeMaster leader = new FakeMaster(ErrorCode.OK, 1);
        try (RpcServer one = RpcServer.start("inproc:departure-follower", follower);
                RpcServer two = RpcServer.start("inproc:departure-leader", leader)) {
            Departure.prepare(
                    channels,
                    List.of("inproc:departure-nobody", one.address(), two.address()),
                    SELF,
                    LONG_ENOUGH,
                    new EndSignals());
        }
        assertThat(leader.drained).containsExactly("s1.5");
        assertThat(leader.looked).hasValue(2);
    }

    /** The master answers late, as where processors are busy and the connection is new. */
    @Test
    void aMasterThatIsSlowIsAskedAgain() {
        FakeMaster master = new FakeMaster(ErrorCode.OK, 1);
        master.unanswered.set(2);
        prepare(master, "slow", LONG_ENOUGH, new EndSignals());
        assertThat(master.drained).containsExactly("s1.5");
        assertThat(master.looked).hasValue(2);
    }

    @Test
    void mastersWithoutALeaderAreAskedUntilOneLeads() {
        FakeMaster master = new FakeMaster(ErrorCode.OK, 1);
        master.followed.set(15); // Longer than masters that are gone are asked.
        prepare(master, "election", LONG_ENOUGH, new EndSignals());
        assertThat(master.drained).containsExactly("s1.5");
        assertThat(master.looked).hasValue(2);
    }

    @Test
    void aServerLeavesWhenItsTimeIsUp() {
        FakeMaster master = new FakeMaster(ErrorCode.OK, Integer.MAX_VALUE);
        prepare(master, "late", 1, new EndSignals());
        assertThat(master.looked).hasPositiveValue();
    }

    @Test
    void aHurriedServerLeavesWithWhatItHas() {
        FakeMaster master = new FakeMaster(ErrorCode.OK, Integer.MAX_VALUE);
        EndSignals signals = new EndSignals();
        signals.signal();
        master.atEachLook = signals::signal;
        prepare(master, "hurried", LONG_ENOUGH, signals);
        assertThat(master.looked).hasValue(1);
    }

    @Test
    void withoutTimeNobodyIsAsked() {
        FakeMaster master = new FakeMaster(ErrorCode.OK, 0);
        prepare(master, "off", 0, new EndSignals());
        assertThat(master.drained).isEmpty();
    }
}
