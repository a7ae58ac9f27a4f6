package cleave.master.raft;

import cleave.master.state.MasterAnswer;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.protocol.exceptions.TransferLeadershipException;
import org.apache.ratis.util.function.CheckedSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes the members of the Raft group and its leader, through this master's own Raft server. Thread-safe. */
final class GroupAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(GroupAdmin.class);
    private static final long TRANSFER_MILLIS_MAX = 3_000;

    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();

    /** @param before the members on which the change is based; if the group has other members, nothing changes */
    CompletableFuture<MasterAnswer> reconfigure(RaftPart part, List<String> before, List<MasterPeer> after) {
        TreeMap<String, RaftPeer> known = part.membersByName();
        if (!List.copyOf(known.keySet()).equals(before.stream().sorted().toList())) {
            return CompletableFuture.completedFuture(
                    MasterAnswer.failed(ErrorCode.STALE_VERSION, "the members are " + known.keySet()));
        }
        List<RaftPeer> wanted = after.stream()
                .map(member -> RaftPeer.newBuilder()
                        .setId(member.getMember())
                        .setAddress(member.getRaft())
                        .setClientAddress(member.getAddress())
                        .build())
                .toList();
        LOG.info("this leader changes the members from={} to={}", before, wanted);
        SetConfigurationRequest.Arguments change = SetConfigurationRequest.Arguments.newBuilder()
                .setServersInNewConf(wanted)
                .setServersInCurrentConf(List.copyOf(known.values()))
                .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                .build();
        SetConfigurationRequest request = new SetConfigurationRequest(
                client, part.server().getId(), part.group(), calls.incrementAndGet(), change);
        return answered(part, () -> part.server().setConfigurationAsync(request));
    }

    CompletableFuture<MasterAnswer> transferLeadership(RaftPart part, String member) {
        LOG.info("this leader transfers the leadership to={}", member);
        TransferLeadershipRequest request = new TransferLeadershipRequest(
                client,
                part.server().getId(),
                part.group(),
                calls.incrementAndGet(),
                RaftPeerId.valueOf(member),
                TRANSFER_MILLIS_MAX);
        return answered(part, () -> part.server().transferLeadershipAsync(request));
    }

    private static CompletableFuture<MasterAnswer> answered(
            RaftPart part, CheckedSupplier<CompletableFuture<RaftClientReply>, IOException> request) {
        CompletableFuture<RaftClientReply> reply;
        try {
            reply = request.get();
        } catch (IOException refused) {
            reply = CompletableFuture.failedFuture(refused);
        }
        return reply.handle((answer, failure) -> {
            if (answer != null && answer.isSuccess()) {
                return MasterAnswer.ok(answer.getLogIndex());
            }
            Throwable cause = answer != null ? answer.getException() : EventLoop.cause(failure);
            if (cause instanceof NotLeaderException) {
                return MasterAnswer.failed(ErrorCode.NOT_LEADER, part.leaderAddress());
            }
            if (cause instanceof ReconfigurationTimeoutException) {
                return MasterAnswer.failed(
                        ErrorCode.CONDITION_FAILED,
                        "the master that joins does not answer the leader at its Raft address: check that the address is"
                                + " right and that the other masters can reach it");
            }
            boolean again = cause instanceof ReconfigurationInProgressException
                    || cause instanceof LeaderNotReadyException
                    || cause instanceof TransferLeadershipException;
            return MasterAnswer.failed(again ? ErrorCode.BUSY : ErrorCode.UNKNOWN_OUTCOME, String.valueOf(cause));
        });
    }
}
