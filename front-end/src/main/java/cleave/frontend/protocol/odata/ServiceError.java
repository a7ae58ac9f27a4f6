package cleave.frontend.protocol.odata;

import org.jspecify.annotations.Nullable;

/**
 * The error that a request or an operation is answered with. Immutable. It has no stack trace, so that a hostile request costs no more than
 * its parse.
 */
public final class ServiceError extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ServiceCode code;
    private final int status;
    private final String text;
    private final int operation;
    private final int operations;
    private final @Nullable String reason;

    private ServiceError(
            ServiceCode code, int status, String text, int operation, int operations, @Nullable String reason) {
        super(code.wireName() + ": " + text, null, false, false);
        this.code = code;
        this.status = status;
        this.text = text;
        this.operation = operation;
        this.operations = operations;
        this.reason = reason;
    }

    public static ServiceError of(ServiceCode code) {
        return new ServiceError(code, code.status(), code.text(), -1, 0, null);
    }

    public static ServiceError of(ServiceCode code, String text) {
        return new ServiceError(code, code.status(), text, -1, 0, null);
    }

    /** This error with another HTTP status: a few codes have several. */
    public ServiceError withStatus(int other) {
        return new ServiceError(code, other, text, operation, operations, reason);
    }

    /**
     * This error as the error of one operation of a changeset, to be answered inside the batch response.
     *
     * @param index zero-based
     * @param count of the changeset's operations
     */
    public ServiceError ofOperation(int index, int count) {
        return new ServiceError(code, status, text, index, count, reason);
    }

    /** This error with its reason, for operators. */
    public ServiceError because(String why) {
        return new ServiceError(code, status, text, operation, operations, why);
    }

    public ServiceCode code() {
        return code;
    }

    public int status() {
        return status;
    }

    /** The message without request id and time. */
    public String text() {
        return text;
    }

    /** Zero-based index of the operation in its changeset; -1 if the request as a whole is refused. */
    public int operation() {
        return operation;
    }

    /** How many operations the changeset of {@link #operation} has. */
    public int operations() {
        return operations;
    }

    /** The reason for operators, which clients do not get; null if the code is enough. */
    public @Nullable String reason() {
        return reason;
    }
}
