package cleave.master.raft;

import cleave.master.metrics.MasterMetrics;
import cleave.master.state.AnswerCodec;
import cleave.master.state.CommandCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.wire.ErrorCode;
import com.google.protobuf.InvalidProtocolBufferException;
import io.prometheus.client.Histogram;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * The commands that this master proposes to its own Raft server. Thread-safe.
 *
 * <p>Invariant: a failed command is reported as not executed only if it did not enter the log. If it did, it may still
 * be committed, and the answer is UNKNOWN_OUTCOME.
 */
final class Proposals {
    private static final long ANSWER_MILLIS_MAX = 3_000;

    private final MasterMetrics metrics;
    private final Consumer<Throwable> onFault;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final ConcurrentHashMap<Long, Proposal> pending = new ConcurrentHashMap<>();

    Proposals(MasterMetrics metrics, Consumer<Throwable> onFault) {
        this.metrics = metrics;
        this.onFault = onFault;
    }

    private static final class Proposal {
        volatile boolean enteredLog;
    }

    /** @param part null for a master that is not a member */
    CompletableFuture<MasterAnswer> propose(@Nullable RaftPart part, MasterCommand command) {
        if (part == null || !part.info().isLeader()) {
            return refused(command, ErrorCode.NOT_LEADER, part == null ? "" : part.leaderAddress());
        }
        byte[] bytes;
        try {
            bytes = CommandCodec.encode(
                    command, part.machine().applied().state().level());
        } catch (IllegalArgumentException mustNotEnter) {
            return refused(command, ErrorCode.INVALID, String.valueOf(mustNotEnter.getMessage()));
        }
        if (bytes.length > RaftSettings.COMMAND_BYTES_MAX) {
            return refused(
                    command,
                    ErrorCode.INVALID,
                    "a command has at most " + RaftSettings.COMMAND_BYTES_MAX + " bytes, not " + bytes.length);
        }
        if (pending.size() >= RaftSettings.PENDING_MAX) {
            return refused(command, ErrorCode.BUSY, pending.size() + " commands wait for their answer");
        }
        return submit(part, command, bytes);
    }

    private CompletableFuture<MasterAnswer> refused(MasterCommand command, ErrorCode code, String message) {
        return CompletableFuture.completedFuture(counted(command, MasterAnswer.failed(code, message)));
    }

    private CompletableFuture<MasterAnswer> submit(RaftPart part, MasterCommand command, byte[] bytes) {
        long call = calls.incrementAndGet();
        Proposal proposal = new Proposal();
        pending.put(call, proposal);
        Histogram.Timer timer = metrics.commandSeconds.labels(op(command)).startTimer();
        CompletableFuture<RaftClientReply> reply;
        try {
            reply = part.server()
                    .submitClientRequestAsync(RaftClientRequest.newBuilder()
                            .setClientId(client)
                            .setServerId(part.server().getId())
                            .setGroupId(part.group())
                            .setCallId(call)
                            .setMessage(Message.valueOf(ByteString.copyFrom(bytes)))
                            .setType(RaftClientRequest.writeRequestType())
                            .build());
        } catch (IOException notSubmitted) {
            reply = CompletableFuture.failedFuture(notSubmitted);
        }
        MasterAnswer tooLate =
                MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, "not answered in " + ANSWER_MILLIS_MAX + " ms");
        return reply.handle((answer, failure) -> answer(part, proposal, answer, failure))
                .completeOnTimeout(tooLate, ANSWER_MILLIS_MAX, TimeUnit.MILLISECONDS)
                .thenApply(answer -> {
                    pending.remove(call);
                    timer.observeDuration();
                    return counted(command, answer);
                })
                .copy(); // A caller that cancels its future must not prevent the handling of the answer.
    }

    /** Called before a command enters the log. */
    void entersLog(long call) {
        Proposal proposal = pending.get(call);
        if (proposal != null) {
            proposal.enteredLog = true;
        }
    }

    /** The number of proposals without an answer. */
    int pendingCount() {
        return pending.size();
    }

    private MasterAnswer answer(
            RaftPart part, Proposal proposal, @Nullable RaftClientReply reply, @Nullable Throwable failure) {
        if (reply != null && reply.isSuccess()) {
            try {
                return AnswerCodec.fromWire(cleave.wire.MasterAnswer.parseFrom(
                        reply.getMessage().getContent().asReadOnlyByteBuffer()));
            } catch (InvalidProtocolBufferException bug) {
                onFault.accept(bug);
            }
        }
        @Nullable Throwable cause = reply == null ? failure : reply.getException();
        if (proposal.enteredLog) {
            return MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, String.valueOf(cause));
        }
        boolean leads = reply != null && reply.getNotLeaderException() == null;
        return leads
                ? MasterAnswer.failed(ErrorCode.UNAVAILABLE, String.valueOf(cause))
                : MasterAnswer.failed(ErrorCode.NOT_LEADER, part.leaderAddress());
    }

    private MasterAnswer counted(MasterCommand command, MasterAnswer answer) {
        metrics.commands.labels(op(command), answer.code().name()).inc();
        return answer;
    }

    private static String op(MasterCommand command) {
        return command.getClass().getSimpleName();
    }
}
