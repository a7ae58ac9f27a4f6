package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.auth.IssuerOfTests;
import cleave.frontend.request.Answer;
import cleave.model.Ticks;
import com.nimbusds.jwt.JWTClaimsSet;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What bearers of tokens get from the whole core. */
class BearerTest {
    private static final String CHALLENGE =
            "Bearer authorization_uri=https://login.example/tenant/oauth2/authorize resource_id=https://storage.azure.com";

    private final CoreClient client = new CoreClient();

    @BeforeEach
    void makeTable() {
        client.entity(client.table("Orders"), "p", "r", 1);
    }

    private SignedHeaders versioned() {
        return new SignedHeaders()
                .with("Host", "127.0.0.1")
                .with("Accept", CoreClient.NO_METADATA)
                .with("x-ms-version", "2020-12-06");
    }

    private Answer ask(String scheme, String verb, String target, String body, String... roles) {
        return client.askAs(scheme, verb, target, bearing(claims(roles)).with("If-Match", "*"), body);
    }

    private JWTClaimsSet.Builder claims(String... roles) {
        return IssuerOfTests.claims(Math.floorDiv(client.loop.ticks(), Ticks.PER_MILLI), roles);
    }

    private SignedHeaders bearing(JWTClaimsSet.Builder claims) {
        return versioned().with("Authorization", "Bearer " + IssuerOfTests.token(claims));
    }

    private Answer list(@Nullable Object accounts) {
        JWTClaimsSet.Builder claims = claims("Storage Table Data Reader").claim("cleave_account", accounts);
        return client.askAs("https", "GET", "/Tables", bearing(claims), "");
    }

    @Test
    void aTokenCountsInTheAccountsThatItNames() {
        assertThat(list("devstoreaccount1").status()).isEqualTo(200);
        assertThat(list(List.of("another", "devstoreaccount1")).status()).isEqualTo(200);
        for (Object others : List.of("another", List.of("another"), List.of(), "devstoreaccount", "*")) {
            assertThat(list(others).status()).isEqualTo(403);
            assertThat(CoreClient.text(list(others))).contains("AuthorizationPermissionMismatch");
        }
        assertThat(list(null).status()).isEqualTo(403);
        assertThat(list(5).status()).isEqualTo(401);
        assertThat(list(Arrays.asList(null, "devstoreaccount1")).status()).isEqualTo(200);
    }

    @Test
    void aTokenForTheAccountsOwnAddressNeedsToNameItNowhereElse() {
        JWTClaimsSet.Builder claims = claims("Storage Table Data Reader")
                .claim("cleave_account", null)
                .audience("https://devstoreaccount1.table.core.windows.net");
        assertThat(client.askAs("https", "GET", "/Tables", bearing(claims), "").status())
                .isEqualTo(200);
    }

    @Test
    void anAccountMayTakeAllTokensOfTheIssuerOrNone() {
        String key = "devstoreaccount1=" + Accounts.DEVELOPMENT_KEY;
        client.accounts = Accounts.parse(List.of(key, "devstoreaccount1.tokens=any"));
        assertThat(list(null).status()).isEqualTo(200);
        assertThat(list("another").status()).isEqualTo(200);
        client.accounts = Accounts.parse(List.of(key, "devstoreaccount1.tokens=refused"));
        assertThat(list("devstoreaccount1").status()).isEqualTo(403);
        assertThat(CoreClient.text(list("devstoreaccount1"))).contains("\"AuthorizationFailure\"");
    }

    @Test
    void whatAQueryCostIsToldToWhoeverHasAKeyAlone() {
        SignedHeaders bearer = bearing(claims("Storage Table Data Contributor")).with("x-cleave-explain", "true");
        assertThat(client.askAs("https", "GET", "/Orders()", bearer, "").header("x-cleave-explain"))
                .isNull();
        assertThat(client.ask("GET", "/Orders()", client.headers().with("x-cleave-explain", "true"), "")
                        .header("x-cleave-explain"))
                .startsWith("class=table-scan");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /Orders(), 200, 200",
        "'GET', '/Orders(PartitionKey=''p'',RowKey=''r'')', 200, 200",
        "GET, /Tables, 200, 200",
        "'GET', '/Tables(''Orders'')', 200, 200",
        "POST, /Orders, 403, 201",
        "'PUT', '/Orders(PartitionKey=''p'',RowKey=''r'')', 403, 204",
        "'DELETE', '/Orders(PartitionKey=''p'',RowKey=''r'')', 403, 204",
        "POST, /Tables, 403, 201",
        "'DELETE', '/Tables(''Orders'')', 403, 204",
        "GET, /?restype=service&comp=properties, 403, 403"
    })
    void readersReadAndContributorsWrite(String verb, String target, int reader, int contributor) {
        String body = target.equals("/Tables")
                ? "{\"TableName\":\"Mine\"}"
                : verb.equals("POST") ? "{\"PartitionKey\":\"p\",\"RowKey\":\"new\"}" : verb.equals("PUT") ? "{}" : "";
        String sent = verb.equals("GET") ? "" : body;
        assertThat(ask("https", verb, target, sent, "Storage Table Data Reader").status())
                .isEqualTo(reader);
        assertThat(ask("https", verb, target, sent, "Storage Table Data Contributor")
                        .status())
                .isEqualTo(contributor);
        assertThat(ask("https", verb, target, sent, "Another").status()).isEqualTo(403);
    }

    /** As if they were not there, whatever the role; the service answers so by design. */
    @ParameterizedTest
    @ValueSource(strings = {"Storage Table Data Reader", "Storage Table Data Contributor", "Another"})
    void policiesAreNotFoundByATokenAndToldInXml(String role) {
        for (String verb : List.of("GET", "HEAD", "PUT")) {
            Answer answer = ask("https", verb, "/Orders?comp=acl", "", role);
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.header("Content-Type")).isEqualTo("application/xml");
            assertThat(CoreClient.text(answer)).contains("<m:code>ResourceNotFound</m:code>");
        }
    }

    @Test
    void tokensAreTakenOverHttpsOnly() {
        Answer answer = ask("http", "GET", "/Tables", "", "Storage Table Data Reader");
        assertThat(answer.status()).isEqualTo(403);
        assertThat(CoreClient.text(answer)).contains("AuthorizationProtocolMismatch");
    }

    @Test
    void accountsWithoutKeysTakeTokens() {
        client.accounts = Accounts.parse(List.of("devstoreaccount1.keys=refused"));
        assertThat(ask("https", "GET", "/Tables", "", "Storage Table Data Reader")
                        .status())
                .isEqualTo(200);
        client.accounts = Accounts.parse(List.of("devstoreaccount1.keys=refused", "devstoreaccount1.state=disabled"));
        assertThat(CoreClient.text(ask("https", "GET", "/Tables", "", "Storage Table Data Reader")))
                .contains("AccountIsDisabled");
    }

    @Test
    void whoHasNoCredentialsIsToldWhereToGetAToken() {
        Answer challenged = client.askAs(
                "https",
                "GET",
                "/Tables",
                new SignedHeaders().with("Host", "127.0.0.1").with("x-ms-version", "2020-12-06"),
                "");
        Answer old = client.askAs(
                "https",
                "GET",
                "/Tables",
                new SignedHeaders().with("Host", "127.0.0.1").with("x-ms-version", "2019-07-07"),
                "");

        assertThat(challenged.status()).isEqualTo(401);
        assertThat(challenged.header("WWW-Authenticate")).isEqualTo(CHALLENGE);
        assertThat(challenged.header("x-ms-error-code")).isEqualTo("InvalidAuthenticationInfo");
        assertThat(challenged.header("Content-Type")).isEqualTo("application/xml");
        assertThat(CoreClient.text(challenged))
                .contains("Server failed to authenticate the request. Please refer to the information in the"
                        + " www-authenticate header.\nRequestId:");
        assertThat(old.status()).isEqualTo(403);
        assertThat(old.header("WWW-Authenticate")).isNull();
        assertThat(old.header("x-ms-error-code")).isEqualTo("AuthenticationFailed");
    }

    @Test
    void aTokenThatDoesNotCountIsChallengedToo() {
        Answer answer = client.askAs("https", "GET", "/Tables", versioned().with("Authorization", "Bearer abc"), "");
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.header("WWW-Authenticate")).isEqualTo(CHALLENGE);
    }
}
