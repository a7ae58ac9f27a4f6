package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Ticks;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates the sender of a request by its credentials: a key of the account (Shared Key, Shared Key Lite), a shared access
 * signature, a bearer token, or none. Confined to its loop.
 */
public final class Authenticator {
    /** The maximum clock skew of the date of a request and the start of a signature. */
    static final long SKEW_MILLIS_MAX = 15 * 60 * 1000L;

    static final long SKEW_TICKS_MAX = SKEW_MILLIS_MAX * Ticks.PER_MILLI;

    /** The first version in which a request without credentials gets a challenge. */
    private static final String CHALLENGING_VERSION = "2020-12-06";

    private static final String BEARER = "Bearer";

    private final Supplier<Accounts> accounts;
    private final Trace trace;
    private final SharedKey sharedKey;
    private final @Nullable Tokens tokens;

    /**
     * An authenticator that accepts no tokens.
     *
     * @param accounts supplies the current accounts
     */
    public Authenticator(Supplier<Accounts> accounts, Trace trace) {
        this(accounts, trace, null);
    }

    /** An authenticator that also accepts tokens by these rules. */
    public Authenticator(Supplier<Accounts> accounts, Trace trace, TokenRules rules, IssuerKeys keys) {
        this(accounts, trace, new Tokens(rules, keys));
    }

    private Authenticator(Supplier<Accounts> accounts, Trace trace, @Nullable Tokens tokens) {
        this.accounts = accounts;
        this.trace = trace;
        this.tokens = tokens;
        this.sharedKey = new SharedKey(trace);
    }

    /** The grant of the sender; throws the error of a refusal. */
    public Grant authenticate(SignedRequest request, long nowTicks) {
        String authorization = request.headers().first("Authorization");
        boolean hasHeader = authorization != null && !authorization.isBlank();
        if (!hasHeader && !request.query().contains("sig")) {
            throw withoutCredentials(request);
        }
        Account account = accounts.get().find(request.account());
        if (account == null) {
            throw AuthenticationError.failed("the account is not served");
        }
        account.checkServed(request.secure());
        if (authorization == null || !hasHeader) {
            account.checkKeysCount();
            return checkSignature(request, account, nowTicks);
        }
        String credentials = authorization.strip();
        if (isBearer(credentials)) {
            return checkToken(
                    request, account, credentials.substring(BEARER.length()).strip(), nowTicks);
        }
        account.checkKeysCount();
        sharedKey.check(request, credentials, account, Math.floorDiv(nowTicks, Ticks.PER_MILLI));
        return Grant.FULL;
    }

    /** True if the account is served now. */
    public boolean serves(String account) {
        return accounts.get().find(account) != null;
    }

    /** Refuses requests that a known account does not permit with any credential. */
    public void checkServed(String name, boolean secure) {
        Account account = accounts.get().find(name);
        if (account != null) {
            account.checkServed(secure);
        }
    }

    /** No field of a shared access signature has an effect before the signature is verified. */
    private Grant checkSignature(SignedRequest request, Account account, long nowTicks) {
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

    private static boolean isBearer(String credentials) {
        int end = BEARER.length();
        return credentials.regionMatches(true, 0, BEARER, 0, end)
                && (credentials.length() == end || credentials.charAt(end) == ' ');
    }

    private Grant checkToken(SignedRequest request, Account account, String token, long nowTicks) {
        if (account.tokens() == TokenScope.NONE) {
            throw ServiceError.of(ServiceCode.AUTHORIZATION_FAILURE).because("the account refuses tokens");
        }
        if (tokens == null) {
            throw AuthenticationError.unauthorized("no issuer of tokens is known");
        }
        return tokens.check(request, account.tokens(), token, nowTicks);
    }

    private static ServiceError withoutCredentials(SignedRequest request) {
        String version = request.headers().first("x-ms-version");
        boolean isChallenged = version != null && version.compareTo(CHALLENGING_VERSION) >= 0;
        return isChallenged
                ? AuthenticationError.unauthorized("there are no credentials")
                : AuthenticationError.failed("there are no credentials");
    }
}
