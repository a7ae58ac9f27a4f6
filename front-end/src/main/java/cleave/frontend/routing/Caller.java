package cleave.frontend.routing;

import cleave.frontend.protocol.auth.Grant;
import cleave.model.AccountNumber;

/** Whose request it is, what it may do, how long it may take, and where its cost is noted. */
public record Caller(String account, Grant grant, long deadlineNanos, RequestCost cost) {
    /** By which servers know the account. */
    int number() {
        return AccountNumber.of(account);
    }
}
