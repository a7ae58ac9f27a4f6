package cleave.frontend.routing;

import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.tracing.RequestTrace;
import cleave.model.AccountNumber;
import cleave.model.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request: account, grant, the request's id and deadline, and where its cost is counted. Confined to the loop.
 *
 * @param trace of the request; null if traces are off
 */
public record Caller(
        String account,
        Grant grant,
        RequestId id,
        long deadlineNanos,
        RequestCost cost,
        @Nullable RequestTrace trace) {
    /** The number by which servers know the account. */
    int number() {
        return AccountNumber.of(account);
    }
}
