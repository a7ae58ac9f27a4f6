package cleave.master.rpc;

import cleave.master.state.AnswerCodec;
import cleave.master.state.MasterAnswer;
import cleave.model.Damaged;
import cleave.model.Row;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Turns answers into replies. Stateless. */
final class Replies {
    private Replies() {}

    /**
     * Sends the reply when there is an answer. If the caller leaves, the answer is completed, so that no work waits on
     * its behalf.
     */
    static <A, R> void send(StreamObserver<R> observer, CompletableFuture<A> answer, Function<A, R> translate) {
        ServerCallStreamObserver<R> out = (ServerCallStreamObserver<R>) observer;
        out.setOnCancelHandler(() -> answer.cancel(false));
        answer.whenComplete((value, failure) -> {
            if (out.isCancelled()) {
                return;
            }
            if (failure != null) {
                out.onError(
                        Status.INTERNAL.withDescription(String.valueOf(failure)).asRuntimeException());
            } else {
                out.onNext(translate.apply(value));
                out.onCompleted();
            }
        });
    }

    /** Carries a request out; the answer is INVALID if it is malformed. */
    static CompletableFuture<MasterAnswer> valid(Supplier<CompletableFuture<MasterAnswer>> asking) {
        return valid(asking, message -> MasterAnswer.failed(ErrorCode.INVALID, message));
    }

    /** @param refused with the message, if the request is malformed */
    static <A> CompletableFuture<A> valid(Supplier<CompletableFuture<A>> asking, Function<String, A> refused) {
        try {
            return asking.get();
        } catch (IllegalArgumentException | Damaged malformed) {
            return CompletableFuture.completedFuture(refused.apply(String.valueOf(malformed.getMessage())));
        }
    }

    static CommandReply command(MasterAnswer answer) {
        CommandReply.Builder reply = CommandReply.newBuilder().setStatus(AnswerCodec.status(answer));
        for (Row row : answer.rows()) {
            reply.addRows(row.toWire());
        }
        return reply.build();
    }
}
