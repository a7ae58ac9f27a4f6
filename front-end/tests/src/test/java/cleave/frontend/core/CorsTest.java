package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Answer.Header;
import cleave.frontend.request.Request;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CorsTest {
    private static final String PROPERTIES = "/?restype=service&comp=properties";
    private static final String TABLE = "/devstoreaccount1/Orders";

    private final CoreClient client = new CoreClient();

    private static String rule(String origins, String methods, String allowed, String exposed, int maxAge) {
        return "<CorsRule><AllowedOrigins>" + origins + "</AllowedOrigins><AllowedMethods>" + methods
                + "</AllowedMethods><AllowedHeaders>" + allowed + "</AllowedHeaders><ExposedHeaders>" + exposed
                + "</ExposedHeaders><MaxAgeInSeconds>" + maxAge + "</MaxAgeInSeconds></CorsRule>";
    }

    private static void set(CoreClient through, String... rules) {
        String document =
                "<StorageServiceProperties><Cors>" + String.join("", rules) + "</Cors></StorageServiceProperties>";
        assertThat(through.ask("PUT", PROPERTIES, document).status()).isEqualTo(202);
    }

    private Answer preflight(String origin, String method, String headers) {
        SignedHeaders asked = new SignedHeaders().with("Origin", origin).with("Access-Control-Request-Method", method);
        return client.preflight(
                TABLE, headers.isEmpty() ? asked : asked.with("Access-Control-Request-Headers", headers));
    }

    /** The headers for browsers and caches. */
    private static Map<String, String> of(Answer answer) {
        Map<String, String> headers = new TreeMap<>();
        for (Header header : answer.headers()) {
            if (header.name().startsWith("Access-Control") || header.name().equals("Vary")) {
                headers.put(header.name(), header.value());
            }
        }
        return headers;
    }

    private Answer ask(String verb, String target, String origin) {
        return client.ask(verb, target, client.headers().with("Origin", origin), "");
    }

    @ParameterizedTest
    @CsvSource({
        "http://a,GET,,200",
        "http://A,GET,,403",
        "http://a/,GET,,403",
        "http://c,GET,,403",
        "http://a,DELETE,,403",
        "http://a,get,,403",
        "http://a,GET,x-ms-meta-z,200",
        "http://a,GET,X-Ms-Meta-Z,200",
        "http://a,GET,x-ms-met,403",
        "http://a,GET,'x-ms-meta-z,authorization',403",
        "http://a,GET,'x-ms-meta-z,content-type',200",
        "http://a,GET,content-types,403"
    })
    void originMethodAndHeadersMustMatch(String origin, String method, String headers, int status) {
        set(client, rule("http://a", "GET", "x-ms-meta*,content-type", "", 1));

        Answer answer = preflight(origin, method, headers == null ? "" : headers);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(of(answer).isEmpty()).isEqualTo(status != 200);
    }

    @Test
    void theFirstRuleThatFitsCounts() {
        set(
                client,
                rule("http://a", "PUT", "*", "", 1),
                rule("http://a", "GET", "x-one", "", 2),
                rule("*", "GET", "x-*", "", 3),
                rule("http://a", "GET", "*", "", 4));

        assertThat(preflight("http://a", "GET", "x-one").header("Access-Control-Max-Age"))
                .isEqualTo("2");
        assertThat(preflight("http://a", "GET", "x-two").header("Access-Control-Max-Age"))
                .isEqualTo("3");
        assertThat(preflight("http://z", "GET", "x-two").header("Access-Control-Allow-Origin"))
                .isEqualTo("http://z");
        assertThat(preflight("http://a", "GET", "y").header("Access-Control-Max-Age"))
                .isEqualTo("4");
        assertThat(preflight("http://z", "GET", "y").status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nobody/Orders", "/devstoreaccount/Orders"})
    void thePropertiesOfAccountsThatAreNotServedAreNotRead(String target) {
        SignedHeaders headers =
                new SignedHeaders().with("Origin", "http://a").with("Access-Control-Request-Method", "GET");

        assertThat(client.preflight(target, headers).status()).isEqualTo(403);
        assertThat(client.cluster.calls()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"state=disabled, 403, AccountIsDisabled", "https=required, 400, AccountRequiresHttps"})
    void anAccountThatIsNotServedThisWayAnswersNoPreflight(String option, int status, String code) {
        set(client, rule("*", "POST", "*", "", 1));
        client.accounts = cleave.frontend.protocol.auth.Accounts.parse(
                        List.of("devstoreaccount1=AAAA", "devstoreaccount1." + option))
                .withDevelopmentAccount();
        Answer answer = client.preflight(
                TABLE, new SignedHeaders().with("Origin", "http://a").with("Access-Control-Request-Method", "POST"));

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.header("x-ms-error-code")).isEqualTo(code);
        assertThat(of(answer)).isEmpty();
    }

    @Test
    void whatIsAskedForNeedNotExist() {
        set(client, rule("*", "POST", "*", "", 1));
        for (String target :
                new String[] {"/devstoreaccount1/Nothing", "/devstoreaccount1/$batch", "/devstoreaccount1/"}) {
            SignedHeaders headers =
                    new SignedHeaders().with("Origin", "http://a").with("Access-Control-Request-Method", "POST");
            assertThat(client.preflight(target, headers).status()).isEqualTo(200);
        }
    }

    @Test
    void anAnswerToEveryOriginDoesNotVary() {
        set(client, rule("*", "GET,POST", "", "", 1));
        client.table("Orders");
        Map<String, String> everyOrigin = Map.of("Access-Control-Allow-Origin", "*");

        assertThat(of(ask("GET", "/Orders()", "http://a"))).isEqualTo(everyOrigin);
        assertThat(of(client.ask("GET", "/Orders()"))).isEqualTo(everyOrigin);
        assertThat(of(ask("HEAD", "/Orders()", "http://a"))).isEqualTo(Map.of("Vary", "Origin"));
    }

    @Test
    void refusalsCanBeReadToo() {
        set(client, rule("http://a", "GET", "", "", 1));
        Request unsigned = Request.of(
                "id",
                "GET",
                TABLE,
                "http",
                "127.0.0.1",
                new SignedHeaders().with("Host", "127.0.0.1").with("Origin", "http://a"));
        Answer refusal = client.refuse(unsigned, ServiceError.of(ServiceCode.AUTHENTICATION_FAILED));
        Map<String, String> allowed = Map.of(
                "Access-Control-Allow-Origin",
                "http://a",
                "Access-Control-Allow-Credentials",
                "true",
                "Vary",
                "Origin");

        assertThat(of(client.await(client.loop.call(() -> client.core.withCors(unsigned, refusal)))))
                .isEqualTo(allowed);
        assertThat(of(ask("GET", "/Nothing()", "http://a"))).isEqualTo(allowed);
        assertThat(of(ask("GET", "/Nothing()?$top=-1", "http://a"))).isEqualTo(allowed);
    }

    @Test
    void aRefusalOfAnAccountThatIsNotServedIsAnsweredAsItIs() {
        Request unsigned = Request.of(
                "id",
                "GET",
                "/nobody/Orders",
                "http",
                "127.0.0.1",
                new SignedHeaders().with("Host", "h").with("Origin", "http://a"));
        Answer refusal = client.refuse(unsigned, ServiceError.of(ServiceCode.AUTHENTICATION_FAILED));

        assertThat(client.await(client.loop.call(() -> client.core.withCors(unsigned, refusal))))
                .isSameAs(refusal);
        assertThat(client.cluster.calls()).isEmpty();
    }

    @Test
    void aRequestWithoutOriginNeverReadsTheRules() {
        client.table("Orders");
        client.ask("GET", "/Orders()");
        client.cluster.forgetCalls();
        client.loop.advance(TimeUnit.MINUTES.toNanos(1));

        client.ask("GET", "/Orders()");

        assertThat(client.cluster.calls()).containsExactly("read s1", "scan s1");
    }

    @Test
    void theRulesAreReadOnceInAWhile() {
        set(new CoreClient(client.cluster), rule("http://a", "GET", "", "", 1));
        client.table("Orders");
        ask("GET", "/Orders()", "http://a");
        client.cluster.forgetCalls();

        ask("GET", "/Orders()", "http://a");
        preflight("http://a", "GET", "");
        assertThat(client.cluster.calls()).containsExactly("scan s1");

        set(new CoreClient(client.cluster), rule("http://b", "GET", "", "", 1));
        client.loop.advance(TimeUnit.SECONDS.toNanos(31));
        assertThat(preflight("http://a", "GET", "").status()).isEqualTo(403);
        assertThat(preflight("http://b", "GET", "").status()).isEqualTo(200);
    }

    @Test
    void aRequestSucceedsWhenTheRulesCannotBeRead() {
        client.entity(client.table("Orders"), "p", "r", 1);
        client.ask("GET", "/Orders()");
        client.cluster.failNext(Fault.NONE, Fault.NONSENSE);

        Answer answer = ask("GET", "/Orders(PartitionKey='p',RowKey='r')", "http://a");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(of(answer)).isEmpty();
        client.cluster.failNext(Fault.NONE, Fault.SILENCE);
        assertThat(ask("GET", "/Orders(PartitionKey='p',RowKey='r')", "http://a")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aPreflightWhoseRulesCannotBeReadIsToldToComeAgain() {
        client.cluster.failNext(Fault.SILENCE);

        assertThat(preflight("http://a", "GET", "").status()).isEqualTo(503);
        assertThat(preflight("http://a", "GET", "").status()).isEqualTo(403);
    }
}
