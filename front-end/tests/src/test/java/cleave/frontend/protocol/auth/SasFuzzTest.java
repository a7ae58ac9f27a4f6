package cleave.frontend.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.fuzz.Fuzz;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Ticks;
import cleave.model.table.AccessPolicy;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shared access signatures that nobody should make: some are not genuine, some are and say odd things. */
class SasFuzzTest {
    private static final String ACCOUNT = Accounts.DEVELOPMENT_ACCOUNT;
    private static final long NOW = Ticks.of(Instant.parse("2024-05-01T08:00:00Z"));
    private static final KeyRange TABLE = KeyRange.ofTable(5);

    private final Authenticator authenticator = new Authenticator(Accounts::development, Trace.OFF);

    @Test
    void anySignatureIsJudgedAndNoneReachesBeyondItsTable() {
        Fuzz.of("sas", 4000).run(8_000, text -> {
            QueryString query = QueryString.parse(text);
            SignedRequest request = new SignedRequest(
                    "id", "GET", "/" + ACCOUNT + "/Orders()", query, ACCOUNT, true, "168.1.5.65", Headers.NONE);
            String forged = told(() -> authenticator.authenticate(request, NOW));
            assertThat(forged).isNotEqualTo("fine");
            String source = told(() -> ConnectionRestriction.check(query, true, "168.1.5.65"));
            String version = SasFields.version(query);
            Grant grant;
            if (query.contains("tn")) {
                assertThat(TableSas.stringToSign(query, version, ACCOUNT)).contains(version);
                grant = TableSas.grant(query, NOW);
            } else {
                assertThat(AccountSas.stringsToSign(query, version, ACCOUNT)).isNotEmpty();
                grant = AccountSas.grant(query, NOW);
            }
            return forged + source + grant.getClass() + rights(grant) + reach(grant) + ofPolicy(grant);
        });
    }

    private static String rights(Grant grant) {
        StringBuilder rights = new StringBuilder();
        for (Right right : Right.values()) {
            rights.append(told(() -> grant.check(right, "Orders")));
        }
        return rights.toString();
    }

    /** A key is within the range that queries are narrowed to just if it can be written. */
    private static String reach(Grant grant) {
        KeyRange reached = grant.narrowed(TABLE);
        assertThat(reached == null || TABLE.contains(reached)).isTrue();
        StringBuilder reach = new StringBuilder();
        for (String key : List.of("", "a", "b", "m", "z", "\ud83d\ude00")) {
            for (String row : List.of("", "b", "c", "z")) {
                boolean writes =
                        told(() -> grant.checkKeys(Right.INSERT, key, row)).equals("fine");
                boolean reads = reached != null && reached.contains(Key.of(5, key, row));
                assertThat(reads).as(key + "/" + row).isEqualTo(writes);
                reach.append(reads ? '1' : '0');
            }
        }
        return reach.toString();
    }

    private static String ofPolicy(Grant grant) {
        if (!(grant instanceof Grant.ByPolicy byPolicy)) {
            return "";
        }
        AccessPolicy policy = new AccessPolicy("policy", null, NOW + 1, "r");
        return told(() -> byPolicy.under(List.of(policy), NOW));
    }

    private static String told(Runnable call) {
        try {
            call.run();
            return "fine";
        } catch (ServiceError refused) {
            assertThat(refused.status()).isBetween(400, 403);
            return refused.code().name();
        }
    }
}
