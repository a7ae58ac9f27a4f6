package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminSplitRequest;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.RestoreRequest;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AdminClientTest {
    /** A master that answers each call with the next of its codes, and the last one from then on. */
    private static class FakeMaster extends AdminGrpc.AdminImplBase {
        private final List<ErrorCode> codes;
        private final String message;
        final AtomicInteger calls = new AtomicInteger();

        FakeMaster(ErrorCode... codes) {
            this("because", List.of(codes));
        }

        FakeMaster(String message, List<ErrorCode> codes) {
            this.message = message;
            this.codes = codes;
        }

        private Status next() {
            ErrorCode code = codes.get(Math.min(calls.getAndIncrement(), codes.size() - 1));
            return Status.newBuilder().setCode(code).setMessage(message).build();
        }

        @Override
        public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
            answer.onNext(
                    StatusReply.newBuilder().setStatus(next()).setSelf("me").build());
            answer.onCompleted();
        }

        @Override
        public void split(AdminSplitRequest request, StreamObserver<CommandReply> answer) {
            answer.onNext(CommandReply.newBuilder().setStatus(next()).build());
            answer.onCompleted();
        }

        @Override
        public void restore(RestoreRequest request, StreamObserver<CommandReply> answer) {
            answer.onNext(CommandReply.newBuilder().setStatus(next()).build());
            answer.onCompleted();
        }
    }

    @Test
    void findsTheLeaderAmongTheMasters() {
        FakeMaster follower = new FakeMaster(ErrorCode.NOT_LEADER);
        FakeMaster leader = new FakeMaster(ErrorCode.OK);
        try (RpcServer one = RpcServer.start("inproc:admin-follower", follower);
                RpcServer two = RpcServer.start("inproc:admin-leader", leader);
                AdminClient client = new AdminClient(List.of(one.address(), "inproc:admin-nobody", two.address()))) {
            assertThat(client.status().getSelf()).isEqualTo("me");
        }
        assertThat(leader.calls).hasValue(1);
    }

    @Test
    void followsToALeaderThatOnlyAnotherMasterNames() {
        FakeMaster leader = new FakeMaster(ErrorCode.OK);
        try (RpcServer two = RpcServer.start("inproc:admin-named", leader);
                RpcServer one = RpcServer.start(
                        "inproc:admin-names", new FakeMaster(two.address(), List.of(ErrorCode.NOT_LEADER)));
                AdminClient client = new AdminClient(List.of(one.address()))) {
            assertThat(client.status().getSelf()).isEqualTo("me");
        }
    }

    @Test
    void aStatusInPiecesIsPutTogether() {
        FakeMaster master = new FakeMaster(ErrorCode.OK) {
            @Override
            public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
                answer.onNext(piece(1, true).setSelf("me").build());
                answer.onNext(piece(2, true).build());
                answer.onNext(piece(3, false).build());
                answer.onCompleted();
            }
        };
        try (RpcServer one = RpcServer.start("inproc:admin-pieces", master);
                AdminClient client = new AdminClient(List.of(one.address()))) {
            StatusReply status = client.status();
            assertThat(status.getSelf()).isEqualTo("me");
            assertThat(status.getMap().getMore()).isFalse();
            assertThat(status.getMap().getRowsList())
                    .extracting(RangeRow::getId)
                    .containsExactly(1L, 2L, 3L);
            assertThat(status.getStatesList()).extracting(RangeState::getRange).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void aStatusThatEndsBeforeItsLastPieceIsAskedForAgain() {
        FakeMaster master = new FakeMaster(ErrorCode.OK) {
            @Override
            public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
                answer.onNext(piece(1, true).build());
                if (calls.getAndIncrement() == 0) {
                    answer.onError(io.grpc.Status.UNAVAILABLE.asRuntimeException());
                } else if (calls.get() == 2) {
                    answer.onCompleted();
                } else {
                    answer.onNext(piece(2, false).build());
                    answer.onCompleted();
                }
            }
        };
        try (RpcServer one = RpcServer.start("inproc:admin-cut-off", master);
                AdminClient client = new AdminClient(List.of(one.address()))) {
            assertThat(client.status().getMap().getRowsCount()).isEqualTo(2);
        }
        assertThat(master.calls).hasValue(3);
    }

    private static StatusReply.Builder piece(long range, boolean more) {
        return StatusReply.newBuilder()
                .setMap(MapUpdate.newBuilder()
                        .setVersion(7)
                        .setMore(more)
                        .addRows(RangeRow.newBuilder().setId(range)))
                .addStates(RangeState.newBuilder().setRange(range));
    }

    @Test
    void waitsForALeaderToBeElected() {
        FakeMaster master = new FakeMaster(ErrorCode.NOT_LEADER, ErrorCode.UNAVAILABLE, ErrorCode.OK);
        try (RpcServer one = RpcServer.start("inproc:admin-elected", master);
                AdminClient client = new AdminClient(List.of(one.address()))) {
            assertThat(client.status().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        }
        assertThat(master.calls).hasValue(3);
    }

    @Test
    void aRefusalIsToldAndNotAskedAgain() {
        FakeMaster master = new FakeMaster(ErrorCode.INVALID);
        try (RpcServer one = RpcServer.start("inproc:admin-refuses", master);
                AdminClient client = new AdminClient(List.of(one.address()))) {
            assertThatThrownBy(() -> client.split(AdminSplitRequest.getDefaultInstance()))
                    .isInstanceOfSatisfying(
                            CommandFailure.class,
                            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED))
                    .hasMessageContaining("because");
        }
        assertThat(master.calls).hasValue(1);
    }

    @Test
    void aLeaderThatCouldNotDoItInTimeIsNotTakenForNone() {
        FakeMaster leader = new FakeMaster(ErrorCode.UNAVAILABLE);
        FakeMaster follower = new FakeMaster(ErrorCode.NOT_LEADER);
        try (RpcServer one = RpcServer.start("inproc:admin-slow", leader);
                RpcServer two = RpcServer.start("inproc:admin-slow-follower", follower);
                AdminClient client =
                        new AdminClient(List.of(one.address(), two.address()), Transport.PLAIN, Duration.ZERO)) {
            assertThatThrownBy(() -> client.split(AdminSplitRequest.getDefaultInstance()))
                    .isInstanceOfSatisfying(
                            CommandFailure.class,
                            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED))
                    .hasMessageContaining("because (UNAVAILABLE)");
        }
    }

    @Test
    void aRestoreThatMayHaveBeenDoneIsNotSentToTheNextMaster() {
        FakeMaster unsure = new FakeMaster(ErrorCode.UNKNOWN_OUTCOME);
        FakeMaster next = new FakeMaster(ErrorCode.CONDITION_FAILED);
        try (RpcServer one = RpcServer.start("inproc:admin-unsure", unsure);
                RpcServer two = RpcServer.start("inproc:admin-unsure-next", next);
                AdminClient client = new AdminClient(List.of(one.address(), two.address()))) {
            assertThat(client.restore(RestoreRequest.getDefaultInstance()).getCode())
                    .isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        }
        assertThat(next.calls).hasValue(0);
    }

    @Test
    void aMasterThatDidNotAnswerARestoreIsTheLastToBeAskedAgain() {
        FakeMaster leader = new FakeMaster(ErrorCode.OK);
        try (RpcServer two = RpcServer.start("inproc:admin-after-silence", leader);
                AdminClient client = new AdminClient(List.of("inproc:admin-silent", two.address()))) {
            assertThat(client.restore(RestoreRequest.getDefaultInstance()).getCode())
                    .isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
            assertThat(leader.calls).hasValue(0);
            assertThat(client.restore(RestoreRequest.getDefaultInstance()).getCode())
                    .isEqualTo(ErrorCode.OK);
        }
    }
}
