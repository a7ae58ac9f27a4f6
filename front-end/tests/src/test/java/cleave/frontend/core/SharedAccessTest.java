package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.request.Answer;
import cleave.model.Key;
import cleave.model.entity.EntityCodec;
import cleave.model.table.AccessPolicy;
import cleave.model.table.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bearers of shared access signatures before the whole core. */
class SharedAccessTest {
    private static final Pattern ROW_KEY = Pattern.compile("\"RowKey\":\"([^\"]*)\"");
    private static final String MISSING_PERMISSION = "AuthorizationPermissionMismatch";
    private static final String NEXT_PARTITION = "x-ms-continuation-NextPartitionKey";
    private static final String NEXT_ROW = "x-ms-continuation-NextRowKey";

    private final CoreClient client = new CoreClient();
    private long table;

    @BeforeEach
    void makeTables() {
        table = client.table("Orders");
        client.table("Other");
        for (String partition : List.of("a", "b", "c", "d")) {
            for (int i = 0; i < 3; i++) {
                client.entity(table, partition, partition + i, i);
            }
        }
    }

    private Answer ask(String verb, String target, SasQuery sas, String body) {
        return ask(verb, target, sas, client.headers(), body);
    }

    private Answer ask(String verb, String target, SasQuery sas, SignedHeaders headers, String body) {
        String query = (target.contains("?") ? "&" : "?") + sas.signed();
        return client.askAs("http", verb, target + query, headers, body);
    }

    private static SasQuery orders(String permissions) {
        return SasQuery.ofTable("ORDERS").with("sp", permissions);
    }

    private static String outcome(Answer answer) {
        Matcher code = Pattern.compile("(?:\"code\":\"|<m:code>)(\\w+)").matcher(CoreClient.text(answer));
        return answer.status() + (code.find() ? " " + code.group(1) : "");
    }

    private static List<String> rowKeys(Answer answer) {
        List<String> keys = new ArrayList<>();
        Matcher matcher = ROW_KEY.matcher(CoreClient.text(answer));
        while (matcher.find()) {
            keys.add(matcher.group(1));
        }
        return keys;
    }

    private static String at(String partitionKey, String rowKey) {
        return "/Orders(PartitionKey='" + partitionKey + "',RowKey='" + rowKey + "')";
    }

    private SignedHeaders ifMatch() {
        return client.headers().with("If-Match", "*");
    }

    /** Each operation with every permission but those that it needs, and with those alone. */
    @ParameterizedTest
    @CsvSource({
        "GET, /Orders(), r",
        "'GET', '/Orders(PartitionKey=''a'',RowKey=''a0'')', r",
        "POST, /Orders, a",
        "'PUT', '/Orders(PartitionKey=''a'',RowKey=''a0'')', u",
        "'MERGE', '/Orders(PartitionKey=''a'',RowKey=''a0'')', u",
        "'DELETE', '/Orders(PartitionKey=''a'',RowKey=''a0'')', d"
    })
    void anOperationNeedsItsPermission(String verb, String target, String permission) {
        String body = verb.equals("POST")
                ? "{\"PartitionKey\":\"a\",\"RowKey\":\"new\"}"
                : verb.equals("PUT") || verb.equals("MERGE") ? "{}" : "";
        String others = "raud".replace(permission, "");

        client.cluster.forgetCalls();
        assertThat(outcome(ask(verb, target, orders(others), ifMatch(), body))).isEqualTo("403 " + MISSING_PERMISSION);
        assertThat(client.cluster.calls()).isEmpty();
        assertThat(outcome(ask(
                        verb, target, SasQuery.ofAccount("o", "rwdlaucp".replace(permission, "")), ifMatch(), body)))
                .isEqualTo("403 " + MISSING_PERMISSION);
        assertThat(ask(verb, target, orders(permission), ifMatch(), body).status())
                .isBetween(200, 204);
    }

    /** A client whose endpoint ends with the name of its table writes it twice. */
    @Test
    void belowATableThereIsNothingButItsInsert() {
        String insert = "{\"PartitionKey\":\"a\",\"RowKey\":\"new\"}";
        for (String permissions : List.of("r", "raud")) {
            for (String verb : List.of("GET", "PUT", "MERGE", "DELETE")) {
                assertThat(outcome(ask(verb, "/Orders" + at("a", "a0"), orders(permissions), ifMatch(), "{}")))
                        .isEqualTo("501 NotImplemented");
            }
        }
        assertThat(outcome(ask("GET", "/Other/Other", orders("r"), ""))).isEqualTo("501 NotImplemented");
        assertThat(outcome(ask("POST", "/Orders/Orders", orders("r"), insert))).isEqualTo("403 " + MISSING_PERMISSION);
        assertThat(outcome(ask("POST", "/Other/Orders", orders("a"), insert))).startsWith("403 ");
        assertThat(outcome(ask("POST", "/Orders/Orders", orders("a"), insert))).isEqualTo("201");
        assertThat(outcome(ask("GET", at("a", "new"), orders("r"), ""))).isEqualTo("200");
    }

    @Test
    void anUpsertNeedsBothToAddAndToUpdate() {
        for (String verb : List.of("PUT", "MERGE")) {
            assertThat(outcome(ask(verb, at("a", "a0"), orders("u"), "{}"))).isEqualTo("403 " + MISSING_PERMISSION);
            assertThat(outcome(ask(verb, at("a", "a0"), orders("a"), "{}"))).isEqualTo("403 " + MISSING_PERMISSION);
            assertThat(outcome(ask(verb, at("a", "a0"), orders("au"), "{}"))).isEqualTo("204");
        }
    }

    private static SasQuery fromB1ToC(String permissions) {
        return orders(permissions).with("spk", "b").with("srk", "b1").with("epk", "c");
    }

    @Test
    void queriesAreNarrowedToItsKeysAndReadNothingElse() {
        SasQuery sas = fromB1ToC("r");
        assertThat(rowKeys(ask("GET", "/Orders()", sas, ""))).containsExactly("b1", "b2", "c0", "c1", "c2");
        assertThat(client.cluster.scans()).allSatisfy(scan -> {
            assertThat(Key.fromWire(scan.getStart())).isEqualTo(Key.of(table, "b", "b1"));
            assertThat(Key.fromWire(scan.getEnd())).isEqualTo(Key.afterPartition(table, "c"));
        });
        client.cluster.forgetCalls();
        assertThat(rowKeys(ask("GET", "/Orders()?$filter=PartitionKey%20eq%20'a'", sas, "")))
                .isEmpty();
        assertThat(client.cluster.scans()).isEmpty();
        assertThat(rowKeys(ask("GET", "/Orders()?$filter=PartitionKey%20le%20'b'", sas, "")))
                .containsExactly("b1", "b2");
    }

    /** Tokens are made by requests with a key, at places that the signature does not reach. */
    @Test
    void aContinuationDoesNotLeadOutOfItsKeys() {
        Answer beforeB = client.ask("GET", "/Orders()?$top=1");
        Answer inD = client.ask("GET", "/Orders()?$top=10");
        client.cluster.forgetCalls();

        assertThat(rowKeys(ask("GET", "/Orders()?" + token(beforeB), fromB1ToC("r"), "")))
                .containsExactly("b1", "b2", "c0", "c1", "c2");
        assertThat(rowKeys(ask("GET", "/Orders()?" + token(inD), fromB1ToC("r"), "")))
                .isEmpty();
        assertThat(client.cluster.scans())
                .hasSize(1)
                .allSatisfy(scan -> assertThat(Key.fromWire(scan.getStart())).isEqualTo(Key.of(table, "b", "b1")));
    }

    private static String token(Answer page) {
        return "NextPartitionKey=" + page.header(NEXT_PARTITION) + "&NextRowKey=" + page.header(NEXT_ROW);
    }

    private static String operation(String line, String more) {
        return line.replace("/O", "http://127.0.0.1/devstoreaccount1/O") + " HTTP/1.1\r\n"
                + "Content-Type: application/json\r\n" + more;
    }

    private Answer batch(SasQuery sas, String... operations) {
        StringBuilder body =
                new StringBuilder("--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n");
        for (String operation : operations) {
            body.append("--changeset_1\r\nContent-Type: application/http\r\n\r\n")
                    .append(operation)
                    .append("\r\n");
        }
        return batchOf(sas, body.append("--changeset_1--\r\n--batch_1--\r\n").toString());
    }

    private Answer batchOf(SasQuery sas, String body) {
        SignedHeaders headers = client.headers().with("Content-Type", "multipart/mixed; boundary=batch_1");
        return ask("POST", "/$batch", sas, headers, body);
    }

    @Test
    void eachOperationOfABatchNeedsItsPermissionAndItsKeys() {
        String merge = operation("MERGE " + at("b", "b1"), "If-Match: *\r\n\r\n{}");
        String upsert = operation("MERGE " + at("b", "b2"), "\r\n{}");
        String delete = operation("DELETE " + at("b", "b2"), "If-Match: *\r\n\r\n");
        String outside = operation("MERGE " + at("b", "b0"), "If-Match: *\r\n\r\n{}");
        client.cluster.forgetCalls();

        Answer refused = batch(fromB1ToC("ru"), merge, delete);
        assertThat(refused.status()).isEqualTo(202);
        assertThat(CoreClient.text(refused)).contains("HTTP/1.1 403 ", MISSING_PERMISSION, "\"1:This request");
        assertThat(CoreClient.text(batch(fromB1ToC("rud"), merge, upsert)))
                .contains("HTTP/1.1 403 ", MISSING_PERMISSION, "\"1:This request");
        assertThat(CoreClient.text(batch(fromB1ToC("rud"), merge, outside)))
                .contains("HTTP/1.1 403 ", "AuthorizationFailure", "\"1:This request");
        assertThat(CoreClient.text(batch(SasQuery.ofTable("Other").with("sp", "raud"), merge)))
                .contains("HTTP/1.1 403 ", "AuthorizationFailure");
        assertThat(client.cluster.calls()).isEmpty();
        assertThat(CoreClient.text(batch(fromB1ToC("rud"), merge, delete)))
                .contains("HTTP/1.1 204 ")
                .doesNotContain("HTTP/1.1 403 ");
    }

    @Test
    void theQueryOfABatchIsNarrowedToo() {
        String point = "--batch_1\r\nContent-Type: application/http\r\n\r\n" + operation("GET " + at("a", "a0"), "\r\n")
                + "\r\n--batch_1--\r\n";
        String query = "--batch_1\r\nContent-Type: application/http\r\n\r\n" + operation("GET /Orders()", "\r\n")
                + "\r\n--batch_1--\r\n";

        assertThat(CoreClient.text(batchOf(fromB1ToC("r"), point))).contains("HTTP/1.1 404 ", "ResourceNotFound");
        assertThat(CoreClient.text(batchOf(fromB1ToC("aud"), query))).contains("HTTP/1.1 403 ", MISSING_PERMISSION);
        assertThat(rowKeys(batchOf(fromB1ToC("r"), query))).containsExactly("b1", "b2", "c0", "c1", "c2");
    }

    private void policies(AccessPolicy... policies) {
        client.cluster.put(
                Registry.key(CoreClient.ACCOUNT, "Orders"),
                EntityCodec.encode(new Registry(table, "Orders", false, List.of(policies)).toEntity()));
    }

    @Test
    void aStoredPolicyGivesAndIsRevoked() {
        SasQuery sas = byPolicy("p");
        policies(new AccessPolicy("p", null, Long.MAX_VALUE, "r"));

        assertThat(outcome(ask("GET", at("a", "a0"), sas, ""))).isEqualTo("200");
        assertThat(outcome(ask("DELETE", at("a", "a0"), sas, ifMatch(), ""))).isEqualTo("403 " + MISSING_PERMISSION);
        policies();
        assertThat(outcome(ask("GET", at("a", "a0"), sas, ""))).isEqualTo("200");
        client.loop.advance(java.util.concurrent.TimeUnit.SECONDS.toNanos(30));
        assertThat(outcome(ask("GET", at("a", "a0"), sas, ""))).isEqualTo("403 AuthenticationFailed");
    }

    /** Another front end, or another loop of this one, has set what this one does not know yet. */
    @Test
    void aPolicyCountsAsSoonAsItIsSetElsewhere() {
        CoreClient other = new CoreClient(client.cluster);
        assertThat(client.ask("GET", at("a", "a0")).status()).isEqualTo(200);

        assertThat(other.ask("PUT", "/Orders?comp=acl", identifier("p", "2199-01-01"))
                        .status())
                .isEqualTo(204);
        client.cluster.forgetCalls();
        assertThat(outcome(ask("GET", at("a", "a0"), byPolicy("p"), ""))).isEqualTo("200");
        assertThat(client.cluster.calls()).containsExactly("read s1", "read s1");
        assertThat(outcome(ask("GET", at("a", "a0"), byPolicy("p"), ""))).isEqualTo("200");
        assertThat(client.cluster.calls()).hasSize(3);
    }

    @Test
    void aPolicyThatIsExtendedElsewhereCountsAtOnce() {
        CoreClient other = new CoreClient(client.cluster);
        other.ask("PUT", "/Orders?comp=acl", identifier("p", "2001-01-01"));
        assertThat(outcome(ask("GET", at("a", "a0"), byPolicy("p"), ""))).isEqualTo("403 AuthenticationFailed");

        other.ask("PUT", "/Orders?comp=acl", identifier("p", "2199-01-01"));
        assertThat(outcome(ask("GET", at("a", "a0"), byPolicy("p"), ""))).isEqualTo("200");
    }

    @Test
    void aPermissionThatIsAddedElsewhereCountsAtOnce() {
        policies(new AccessPolicy("p", null, Long.MAX_VALUE, "r"));
        assertThat(outcome(ask("GET", at("a", "a0"), byPolicy("p"), ""))).isEqualTo("200");

        policies(new AccessPolicy("p", null, Long.MAX_VALUE, "rd"));
        assertThat(outcome(ask("DELETE", at("a", "a0"), byPolicy("p"), ifMatch(), "")))
                .isEqualTo("204");
    }

    @Test
    void aPolicyThatIsMissingIsLookedForOnce() {
        client.cluster.forgetCalls();
        assertThat(outcome(ask("GET", at("a", "a0"), byPolicy("p"), ""))).isEqualTo("403 AuthenticationFailed");
        assertThat(client.cluster.calls()).containsExactly("read s1");
        assertThat(outcome(ask("GET", at("a", "a0"), byPolicy("p"), ""))).isEqualTo("403 AuthenticationFailed");
        assertThat(client.cluster.calls()).containsExactly("read s1", "read s1");
    }

    /** Policies belong to a table and not to its name. */
    @Test
    void aTableThatTakesTheNameHasNoneOfThePoliciesBeforeIt() {
        SasQuery sas = byPolicy("p");
        policies(new AccessPolicy("p", null, Long.MAX_VALUE, "rd"));
        assertThat(outcome(ask("GET", at("a", "a0"), sas, ""))).isEqualTo("200");

        client.cluster.drop(table);
        long next = client.table("Orders");
        client.entity(next, "a", "a0", 1);

        assertThat(outcome(ask("DELETE", at("a", "a0"), sas, ifMatch(), ""))).isEqualTo("403 AuthenticationFailed");
        assertThat(outcome(ask("GET", at("a", "a0"), sas, ""))).isEqualTo("403 AuthenticationFailed");
        assertThat(client.ask("GET", at("a", "a0")).status()).isEqualTo(200);
    }

    @Test
    void aSignatureThatIsForgedReadsNothing() {
        client.cluster.forgetCalls();
        String forged = byPolicy("p").signed().replace("si=p", "si=q");
        assertThat(outcome(client.askAs("http", "GET", "/Orders()?" + forged, client.headers(), "")))
                .isEqualTo("403 AuthenticationFailed");
        assertThat(client.cluster.calls()).isEmpty();
    }

    private static SasQuery byPolicy(String id) {
        return SasQuery.ofTable("Orders").with("si", id).without("se");
    }

    private static String identifier(String id, String expiry) {
        return "<SignedIdentifiers><SignedIdentifier><Id>" + id + "</Id><AccessPolicy><Expiry>" + expiry
                + "</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";
    }

    @Test
    void requestsWithAKeyLookNothingMoreUp() {
        client.ask("GET", at("a", "a0"));
        client.cluster.forgetCalls();
        assertThat(client.ask("GET", at("a", "a0")).status()).isEqualTo(200);
        assertThat(client.cluster.calls()).hasSize(1);
    }

    /** It would be told of keys beyond its grant. */
    @Test
    void aSignatureDoesNotSalvage() {
        SignedHeaders headers = client.headers().with("x-cleave-salvage", "true");
        Answer answer = ask("GET", "/Orders()", fromB1ToC("r"), headers, "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("x-cleave-unreadable")).isNull();
        assertThat(client.cluster.scans()).isNotEmpty().noneMatch(scan -> scan.getSalvage());
    }

    @Test
    void onDemandItIsToldWhyARequestWasRefused() {
        String query = orders("r").signed();
        ask("GET", at("a", "a0"), orders("a"), "");
        assertThat(client.told).isEmpty();
        client.traces = true;
        client.askAs("http", "GET", "/Orders()?" + query.replace("sp=r", "sp=raud"), client.headers(), "");
        ask("GET", at("a", "a0"), orders("a"), "");
        assertThat(client.told)
                .containsExactly(
                        "tried raud\n\n2200-01-01\n/table/devstoreaccount1/orders\n\n\n\n2019-02-02\n\n\n\n",
                        "refused AuthenticationFailed: the signature matches none of the account's keys",
                        "refused AuthorizationPermissionMismatch: sp is a, but must contain r");
    }

    @Test
    void aChangeOfKeysCountsAtOnce() {
        assertThat(client.ask("GET", "/Tables").status()).isEqualTo(200);
        client.accounts = cleave.frontend.protocol.auth.Accounts.parse(List.of("devstoreaccount1=AAAA"));
        assertThat(outcome(client.ask("GET", "/Tables"))).isEqualTo("403 AuthenticationFailed");
        client.accounts = cleave.frontend.protocol.auth.Accounts.parse(List.of("devstoreaccount1=AAAA"))
                .withDevelopmentAccount();
        assertThat(client.ask("GET", "/Tables").status()).isEqualTo(200);
    }
}
