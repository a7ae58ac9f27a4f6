package cleave.frontend.routing;

import cleave.frontend.protocol.auth.Grant;
import cleave.model.AccountNumber;

/** The sender of a request: account, grant, deadline, and where the request's cost is counted. Confined to the loop. */
public record Caller(String account, Grant grant, long deadlineNanos, RequestCost cost) {
    /** The number by which servers know the account. */
    int number() {
        return AccountNumber.of(account);
    }
}
