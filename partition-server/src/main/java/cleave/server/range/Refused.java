package cleave.server.range;

import cleave.wire.ErrorCode;
import cleave.wire.Status;
import org.jspecify.annotations.Nullable;

/** Why a step of a handoff was not done. Immutable. */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Status status;

    public Refused(ErrorCode code, String message) {
        this(Status.newBuilder().setCode(code).setMessage(message).build());
    }

    public Refused(Status status) {
        super(status.getCode() + ": " + status.getMessage());
        this.status = status;
    }

    /** The error code of a failure for the caller. */
    public static Status statusOf(@Nullable Throwable failure) {
        return failure instanceof Refused refused
                ? refused.status
                : Status.newBuilder()
                        .setCode(ErrorCode.UNAVAILABLE)
                        .setMessage(String.valueOf(failure))
                        .build();
    }
}
