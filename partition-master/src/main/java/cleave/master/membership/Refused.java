package cleave.master.membership;

import cleave.master.state.AnswerCodec;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
        ErrorCode code = cause(failure) instanceof Refused refused ? refused.code : ErrorCode.UNAVAILABLE;
        return AnswerCodec.status(code, message(failure));
    }

    static String message(Throwable failure) {
        Throwable cause = cause(failure);
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }
}
