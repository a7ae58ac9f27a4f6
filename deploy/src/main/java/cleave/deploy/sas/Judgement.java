package cleave.deploy.sas;

import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Right;
import cleave.frontend.protocol.auth.SasToken;
import cleave.frontend.protocol.auth.SignedRequest;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.protocol.odata.DateTimeText;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.table.AccessPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The judgement of a front end on a request with a shared access signature. Immutable. The front end's code decides; this asks it, also
 * about the faults after the first.
 *
 * @param token null: the fields are none
 * @param grant what the signature permits while it is valid, be that now or not; null: unknown, since its fields are wrong
 * @param faults in the order in which the front end finds them, so that the first is its answer; empty: it accepts the request
 */
record Judgement(@Nullable SasToken token, @Nullable Grant grant, List<ServiceError> faults) {
    Judgement {
        faults = List.copyOf(faults);
    }

    /**
     * A request with the signature.
     *
     * @param account in the address
     * @param accounts with keys and options; null: the keys are not known
     * @param secure true over TLS
     * @param client the address that the request comes from
     * @param right what the request does; null: only whether the signature is valid is judged
     * @param table that the request is for; empty: none
     * @param entity that the request is for; null: several, or unknown
     * @param policies of the table; null: unknown
     */
    record Request(
            QueryString query,
            String account,
            @Nullable Accounts accounts,
            boolean secure,
            String client,
            long nowTicks,
            @Nullable Right right,
            String table,
            @Nullable EntityKeys entity,
            @Nullable List<AccessPolicy> policies) {}

    record EntityKeys(String partitionKey, String rowKey) {}

    static Judgement of(Request request) {
        return new Judge(request).judgement();
    }

    /** Null if the grant permits the operation. */
    static @Nullable ServiceError refusal(Grant grant, Right right, String table) {
        try {
            grant.check(right, table);
            return null;
        } catch (ServiceError refused) {
            return refused;
        }
    }

    /** The answer's status and code, and its reason if that says more than the text. */
    static String inWords(ServiceError error) {
        String reason = error.reason();
        return error.status() + " " + error.code().wireName() + ": " + (reason == null ? error.text() : reason);
    }

    /** Collects the faults of one request. */
    private static final class Judge {
        private final Request request;
        private final List<ServiceError> faults = new ArrayList<>();

        Judge(Request request) {
            this.request = request;
        }

        Judgement judgement() {
            Accounts accounts = request.accounts;
            if (accounts != null) {
                tried(() -> authenticated(accounts));
            }
            SasToken token = tried(() -> SasToken.of(request.query));
            if (token == null) {
                return new Judgement(null, null, faults);
            }
            Grant given = tried(() -> token.grant(request.nowTicks));
            tried(() -> {
                token.checkConnection(request.secure, request.client);
                return token;
            });
            Grant grant = given != null ? given : inItsTime(token);
            return new Judgement(token, grant == null ? null : applied(grant), faults);
        }

        private Grant authenticated(Accounts accounts) {
            SignedRequest signed = new SignedRequest(
                    "", "GET", "/", request.query, request.account, request.secure, request.client, Headers.NONE);
            return new Authenticator(() -> accounts, Trace.OFF).authenticate(signed, request.nowTicks);
        }

        /** The grant under its policy, if that is known; each is asked about the operation. */
        private Grant applied(Grant grant) {
            ask(grant);
            List<AccessPolicy> policies = request.policies;
            Grant under = policies == null ? null : tried(() -> grant.under(policies, request.nowTicks));
            if (under == null) {
                return grant;
            }
            ask(under);
            return under;
        }

        private void ask(Grant grant) {
            if (request.right != null) {
                add(refusal(grant, request.right, request.table));
            }
            EntityKeys entity = request.entity;
            Right right = request.right == null ? Right.QUERY : request.right; // The address alone is one to read.
            if (entity != null) {
                tried(() -> {
                    grant.checkKeys(right, entity.partitionKey, entity.rowKey);
                    return entity;
                });
            }
        }

        /** The grant of a signature that is not valid now: what it permits when it is; null if it never is. */
        private @Nullable Grant inItsTime(SasToken token) {
            String expiry = request.query.valueOrNull("se");
            Long end = expiry == null ? null : DateTimeText.parse(expiry);
            try {
                return end == null ? null : token.grant(end - 1);
            } catch (ServiceError never) {
                return null;
            }
        }

        private <T> @Nullable T tried(Supplier<T> step) {
            try {
                return step.get();
            } catch (ServiceError fault) {
                add(fault);
                return null;
            }
        }

        /** Each fault once: the authenticator finds some of those that the later steps find. */
        private void add(@Nullable ServiceError fault) {
            if (fault != null
                    && faults.stream().noneMatch(known -> inWords(known).equals(inWords(fault)))) {
                faults.add(fault);
            }
        }
    }
}
