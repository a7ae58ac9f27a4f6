package cleave.master.membership;

import cleave.master.state.AnswerCodec;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Ends a founding or joining: what was not done, and why. Immutable. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final ErrorCode code;

    Refused(ErrorCode code, String message) {
        super(message, null, false, false);
        this.code = code;
    }

    ErrorCode code() {
        return code;
    }

    static CompletableFuture<Void> with(ErrorCode code, String message) {
        return CompletableFuture.failedFuture(new Refused(code, message));
    }

    /** OK if nothing failed; a failure that is no refusal is UNAVAILABLE. */
    static Status status(@Nullable Throwable failure) {
        if (failure == null) {
            return Status.getDefaultInstance();
        }
        ErrorCode code = EventLoop.cause(failure) instanceof Refused refused ? refused.code : ErrorCode.UNAVAILABLE;
        return AnswerCodec.status(code, message(failure));
    }

    static String message(Throwable failure) {
        Throwable cause = Objects.requireNonNull(EventLoop.cause(failure));
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }
}
