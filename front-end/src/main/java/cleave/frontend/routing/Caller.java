package cleave.frontend.routing;

import cleave.frontend.protocol.auth.Grant;
import cleave.model.AccountNumber;
import cleave.model.RequestId;

/** The sender of a request: account, grant, the request's id and deadline, and where its cost is counted. Confined to the loop. */
public record Caller(String account, Grant grant, RequestId id, long deadlineNanos, RequestCost cost) {
    /** The number by which servers know the account. */
    int number() {
        return AccountNumber.of(account);
    }
}
