package cleave.frontend.protocol.auth;

/** Checks shared access signatures against the keys of the account. No field has an effect before the signature is verified. */
final class SharedAccess {
    private final Trace trace;

    SharedAccess(Trace trace) {
        this.trace = trace;
    }

    Grant check(SignedRequest request, Account account, long nowTicks) {
        SasToken token = SasToken.of(request.query());
        if (!token.isSignedBy(account)) {
            if (trace.isOn()) {
                token.stringsToSign(account.name()).forEach(text -> trace.tried(request.id(), text));
            }
            throw AuthenticationError.failed("the signature matches none of the account's keys");
        }
        Grant grant = token.grant(nowTicks);
        token.checkConnection(request.secure(), request.client());
        return grant;
    }
}
