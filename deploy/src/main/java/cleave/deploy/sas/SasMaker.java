package cleave.deploy.sas;

import cleave.client.Requests;
import cleave.deploy.CommandFailure;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Right;
import cleave.frontend.protocol.auth.SasToken;
import cleave.frontend.protocol.auth.SignedRequest;
import cleave.frontend.protocol.auth.Signer;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.protocol.odata.DateTimeText;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.KeyRange;
import cleave.model.Ticks;
import cleave.model.table.AccessPolicy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the token of a shared access signature, and checks it with the code of the front end: a signature that the service would refuse, or that
 * permits no operation, is never printed. Pure.
 */
final class SasMaker {
    private static final long ANY_TABLE = 1;

    private SasMaker() {}

    /**
     * The token: these fields, and the signature over them.
     *
     * @param policies of the table; null: unknown
     * @throws CommandFailure if the service would refuse it, or it permits no operation
     */
    static String token(
            Map<String, String> fields, SasAccount account, @Nullable List<AccessPolicy> policies, long nowTicks) {
        try {
            String unsigned = query(fields);
            String text = SasToken.of(QueryString.parse(unsigned))
                    .stringsToSign(account.name())
                    .get(0);
            byte[] key =
                    Base64.getDecoder().decode(account.address().sharedKey().key());
            byte[] signature = new Signer(key).sign(text.getBytes(StandardCharsets.UTF_8));
            String token =
                    unsigned + "&sig=" + Requests.encode(Base64.getEncoder().encodeToString(signature));
            check(QueryString.parse(token), account, policies, nowTicks);
            return token;
        } catch (ServiceError refused) {
            throw CommandFailure.usage("the service would refuse this signature: " + Judgement.inWords(refused));
        }
    }

    private static String query(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + Requests.encode(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    /** Checks the token as if it were used when it becomes valid, over HTTPS, from the first address that it permits. */
    private static void check(
            QueryString query, SasAccount account, @Nullable List<AccessPolicy> policies, long nowTicks) {
        String start = query.value("st");
        Long from = start == null ? null : DateTimeText.parse(start);
        long when = from == null ? nowTicks : Math.max(from, nowTicks);
        Grant grant =
                new Authenticator(account::accounts, Trace.OFF).authenticate(request(query, account.name()), when);
        String policy = query.value("si");
        if (policy != null) {
            grant = grant.under(policies == null ? List.of(completing(query, policy)) : policies, when);
        }
        if (grant.narrowed(KeyRange.ofTable(ANY_TABLE)) == null) {
            throw CommandFailure.usage("the end of the keys is before their start: no entity is between them");
        }
        if (permitsNothing(grant, query)) {
            throw CommandFailure.usage(
                    "it would permit no operation, since no operation of --permissions applies to the resources of"
                            + " --resource-types");
        }
    }

    private static SignedRequest request(QueryString query, String account) {
        String addresses = query.value("sip");
        String client = addresses == null ? "127.0.0.1" : addresses.split("-")[0];
        return new SignedRequest("", "GET", "/", query, account, true, client, Headers.NONE);
    }

    /** Stands for an unknown policy: defines only the fields that the signature leaves out. */
    private static AccessPolicy completing(QueryString query, String id) {
        return new AccessPolicy(
                id, null, query.contains("se") ? null : (Long) Ticks.MAX, query.contains("sp") ? null : "raud");
    }

    private static boolean permitsNothing(Grant grant, QueryString query) {
        String table = query.contains("tn") ? String.valueOf(query.value("tn")) : "";
        return Arrays.stream(Right.values()).allMatch(right -> Judgement.refusal(grant, right, table) != null);
    }
}
