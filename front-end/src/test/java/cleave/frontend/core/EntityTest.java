package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.request.Answer;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EntityTest {
    private static final String ADDRESS = "/Orders(PartitionKey='p',RowKey='r')";
    private static final String BODY = "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"N\":3}";

    private final CoreClient client = new CoreClient();
    private long table;

    @BeforeEach
    void makeTable() {
        table = client.table("Orders");
    }

    private Answer insert() {
        return client.ask("POST", "/Orders", BODY);
    }

    private SignedHeaders ifMatch(String condition) {
        return client.headers().with("If-Match", condition);
    }

    private static String etag(Answer answer) {
        return Objects.requireNonNull(answer.header("ETag"));
    }

    @Test
    void anInsertIsAnsweredWithTheEntityUnlessNoContentIsPreferred() {
        Answer withContent = insert();
        Answer without = client.ask(
                "POST",
                "/Orders",
                client.headers().with("Prefer", "return-no-content"),
                BODY.replace("\"r\"", "\"s\""));

        assertThat(withContent.status()).isEqualTo(201);
        assertThat(CoreClient.text(withContent)).contains("\"PartitionKey\":\"p\"", "\"N\":3", "\"Timestamp\":");
        assertThat(withContent.header("ETag")).startsWith("W/\"datetime'");
        assertThat(withContent.header("Location"))
                .isEqualTo("http://127.0.0.1:10002/devstoreaccount1/Orders(PartitionKey='p',RowKey='r')");
        assertThat(withContent.header("Preference-Applied")).isNull();
        assertThat(without.status()).isEqualTo(204);
        assertThat(without.body()).isEmpty();
        assertThat(without.header("Preference-Applied")).isEqualTo("return-no-content");
        assertThat(without.header("DataServiceId")).isEqualTo(without.header("Location"));
    }

    @Test
    void aSecondInsertIsRefusedAndEchoesThePreference() {
        insert();

        Answer answer = client.ask("POST", "/Orders", client.headers().with("Prefer", "return-no-content"), BODY);

        assertThat(answer.status()).isEqualTo(409);
        assertThat(CoreClient.text(answer)).contains("\"EntityAlreadyExists\"");
        assertThat(answer.header("Preference-Applied")).isEqualTo("return-no-content");
    }

    @Test
    void aPointGetHasTheETagOfTheInsert() {
        Answer inserted = insert();

        Answer answer = client.ask("GET", ADDRESS);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("ETag")).isEqualTo(inserted.header("ETag"));
        assertThat(answer.header("Content-Type"))
                .isEqualTo("application/json;odata=nometadata;streaming=true;charset=utf-8");
        assertThat(CoreClient.text(answer)).contains("\"N\":3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "(N eq 3)           | 200",
                "N gt 3             | 404",
                "not (N gt 3)       | 200",
                "RowKey eq 'r'      | 200",
                "PartitionKey eq 'q'| 404",
                "Missing eq 1       | 404",
                "true               | 200",
                "false              | 404",
                "N eq               | 400",
            })
    void aFilterOnTheAddressOfAnEntityMustHold(String filter, int status) {
        insert();

        Answer answer = client.ask("GET", ADDRESS + "?$filter=" + filter.replace(" ", "%20"));

        assertThat(answer.status()).isEqualTo(status);
        assertThat(CoreClient.text(answer))
                .contains(status == 200 ? "\"N\":3" : status == 404 ? "\"ResourceNotFound\"" : "\"InvalidInput\"");
    }

    @Test
    void aFilterDoesNotHideThatATableIsMissing() {
        Answer answer = client.ask("GET", "/Nothing(PartitionKey='p',RowKey='r')?$filter=false");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(CoreClient.text(answer)).contains("\"TableNotFound\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD"})
    void aReadUnlessTheETagIsThisIsNotModifiedWhileItIs(String verb) {
        String first = etag(insert());
        Answer same = client.ask(verb, ADDRESS, client.headers().with("If-None-Match", first), "");
        Answer any = client.ask(verb, ADDRESS, client.headers().with("If-None-Match", "*"), "");
        client.ask("PUT", ADDRESS, "{}");
        Answer changed = client.ask(verb, ADDRESS, client.headers().with("If-None-Match", first), "");

        for (Answer unchanged : List.of(same, any)) {
            assertThat(unchanged.status()).isEqualTo(304);
            assertThat(unchanged.body()).isEmpty();
            assertThat(unchanged.header("Content-Type")).isNull();
            assertThat(unchanged.header("ETag")).isEqualTo(first);
        }
        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.header("ETag")).isNotEqualTo(first);
    }

    @Test
    void aConditionOfAReadIsOneWellFormedTagAndComesBehindTheEntityAndItsFilter() {
        assertThat(client.ask("GET", ADDRESS, client.headers().with("If-None-Match", "*"), "")
                        .status())
                .isEqualTo(404);
        String etag = etag(insert());
        assertThat(client.ask(
                                "GET",
                                ADDRESS + "?$filter=N%20eq%204",
                                client.headers().with("If-None-Match", etag),
                                "")
                        .status())
                .isEqualTo(404);
        Answer malformed = client.ask("GET", ADDRESS, client.headers().with("If-None-Match", "\"x\""), "");
        assertThat(malformed.status()).isEqualTo(400);
        assertThat(CoreClient.text(malformed)).contains("The etag value '\\\"x\\\"' specified");
    }

    @Test
    void whatDoesNotExistIsNotFoundByItsOwnName() {
        Answer entity = client.ask("GET", ADDRESS);
        Answer noTable = client.ask("GET", "/Nothing(PartitionKey='p',RowKey='r')");

        assertThat(entity.status()).isEqualTo(404);
        assertThat(CoreClient.text(entity)).contains("\"ResourceNotFound\"");
        assertThat(noTable.status()).isEqualTo(404);
        assertThat(CoreClient.text(noTable)).contains("\"TableNotFound\"");
    }

    @ParameterizedTest
    @CsvSource({"PUT,false", "PATCH,true", "MERGE,true"})
    void updatesReplaceOrMerge(String verb, boolean keepsOldProperties) {
        insert();

        Answer answer = client.ask(verb, ADDRESS, ifMatch("*"), "{\"M\":\"new\"}");

        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.header("ETag")).isNotNull();
        assertThat(answer.header("Location")).isNull();
        assertThat(CoreClient.text(client.ask("GET", ADDRESS)).contains("\"N\":3"))
                .isEqualTo(keepsOldProperties);
        assertThat(CoreClient.text(client.ask("GET", ADDRESS))).contains("\"M\":\"new\"");
    }

    @Test
    void aTunnelledMergeMerges() {
        insert();

        Answer answer = client.ask("POST", ADDRESS, ifMatch("*").with("X-HTTP-Method", "MERGE"), "{\"M\":1}");

        assertThat(answer.status()).isEqualTo(204);
        assertThat(CoreClient.text(client.ask("GET", ADDRESS))).contains("\"N\":3", "\"M\":1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH", "MERGE"})
    void withoutAConditionAnUpdateInsertsAndWithOneItDoesNot(String verb) {
        Answer conditional = client.ask(verb, ADDRESS, ifMatch("*"), "{\"M\":1}");
        Answer upsert = client.ask(verb, ADDRESS, "{\"M\":1}");

        assertThat(conditional.status()).isEqualTo(404);
        assertThat(upsert.status()).isEqualTo(204);
        assertThat(client.ask("GET", ADDRESS).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH", "DELETE"})
    void aStaleETagIsRefusedAndTheCurrentOneServes(String verb) {
        String first = etag(insert());
        String second = etag(client.ask("PATCH", ADDRESS, "{}"));

        Answer stale = client.ask(verb, ADDRESS, ifMatch(first), "");
        Answer current = client.ask(verb, ADDRESS, ifMatch(second), "");

        assertThat(stale.status()).isEqualTo(412);
        assertThat(CoreClient.text(stale)).contains("\"UpdateConditionNotSatisfied\"");
        assertThat(current.status()).isEqualTo(204);
    }

    @Test
    void anUpsertStoresNoKeyThatAnInsertWouldRefuse() {
        String address = "/Orders(PartitionKey='" + "p".repeat(513) + "',RowKey='r')";

        Answer upsert = client.ask("PUT", address, "{}");
        Answer update = client.ask("PUT", address, ifMatch("*"), "{}");

        assertThat(upsert.status()).isEqualTo(400);
        assertThat(CoreClient.text(upsert)).contains("\"KeyValueTooLarge\"");
        assertThat(update.status()).isEqualTo(404);
    }

    @Test
    void aDeleteNeedsACondition() {
        insert();

        Answer without = client.ask("DELETE", ADDRESS);
        Answer with = client.ask("DELETE", ADDRESS, ifMatch("*"), "");

        assertThat(without.status()).isEqualTo(400);
        assertThat(CoreClient.text(without)).contains("\"MissingRequiredHeader\"");
        assertThat(with.status()).isEqualTo(204);
        assertThat(with.header("ETag")).isNull();
        assertThat(client.cluster.count(KeyRange.ofTable(table))).isZero();
    }

    @Test
    void aWriteIsSentAgainAfterARefusalAndNeverAfterABrokenCall() {
        client.ask("GET", ADDRESS);
        client.cluster.failNext(Fault.BUSY, Fault.UNAVAILABLE, Fault.BUSY);
        Answer refused = insert();
        client.cluster.failNext(Fault.LOST_ANSWER);
        client.cluster.forgetCalls();

        Answer lost = client.ask("POST", "/Orders", BODY.replace("\"r\"", "\"s\""));

        assertThat(refused.status()).isEqualTo(201);
        assertThat(lost.status()).isEqualTo(500);
        assertThat(CoreClient.text(lost)).contains("\"OperationTimedOut\"");
        assertThat(client.cluster.calls()).containsExactly("write s1");
        assertThat(client.cluster.get(Key.of(table, "p", "s"))).isNotNull();
    }

    @Test
    void aWriteThatGetsNoAnswerEndsAtItsDeadlineWithAnUnknownOutcome() {
        client.ask("GET", ADDRESS);
        client.cluster.failNext(Fault.SILENCE);
        long began = client.loop.nanos();

        Answer answer = client.ask("POST", "/Orders?timeout=3", BODY);

        assertThat(answer.status()).isEqualTo(500);
        assertThat(client.loop.nanos() - began).isEqualTo(TimeUnit.SECONDS.toNanos(3));
    }

    @Test
    void withoutATimeoutADeadlineIsThirtySeconds() {
        client.ask("GET", ADDRESS);
        client.cluster.failNext(Fault.SILENCE);
        long began = client.loop.nanos();

        insert();

        assertThat(client.loop.nanos() - began).isEqualTo(TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void aWriteFollowsItsRangeToANewOwner() {
        insert();
        client.cluster.move(Key.of(table, "p", "r"), "s3");

        Answer answer = client.ask("PATCH", ADDRESS, "{}");

        assertThat(answer.status()).isEqualTo(204);
        assertThat(client.cluster.calls()).endsWith("write s1", "write s3");
    }

    @Test
    void aTableIsReadInTheRegistryOnceAndAgainAfterHalfAMinute() {
        insert();
        client.cluster.forgetCalls();

        client.ask("PATCH", ADDRESS, "{}");
        List<String> soon = client.cluster.calls();
        client.loop.advance(TimeUnit.SECONDS.toNanos(31));
        client.cluster.forgetCalls();
        client.ask("PATCH", ADDRESS, "{}");

        assertThat(soon).containsExactly("write s1");
        assertThat(client.cluster.calls()).containsExactly("read s1", "write s1");
    }

    @Test
    void thatATableIsAbsentIsNotRemembered() {
        assertThat(client.ask("PUT", "/Later(PartitionKey='p',RowKey='r')", "{}")
                        .status())
                .isEqualTo(404);

        client.table("Later");

        assertThat(client.ask("PUT", "/Later(PartitionKey='p',RowKey='r')", "{}")
                        .status())
                .isEqualTo(204);
    }

    @Test
    void aTableThatIsBeingDeletedIsNotFoundForEntities() {
        client.cluster.put(
                Registry.key(CoreClient.ACCOUNT, "leaving"),
                EntityCodec.encode(new Registry(99, "Leaving", true).toEntity()));

        Answer answer = client.ask("PUT", "/Leaving(PartitionKey='p',RowKey='r')", "{}");

        assertThat(answer.status()).isEqualTo(404);
        assertThat(CoreClient.text(answer)).contains("\"TableNotFound\"");
    }

    @Test
    void aWriteToATableThatWasDroppedAndMadeAnewGoesToTheNewOne() {
        insert();
        client.cluster.drop(table);
        long anew = client.table("ORDERS");

        Answer answer = client.ask("PUT", ADDRESS, "{}");

        assertThat(answer.status()).isEqualTo(204);
        assertThat(client.cluster.get(Key.of(anew, "p", "r"))).isNotNull();
        assertThat(client.cluster.count(KeyRange.ofTable(table))).isZero();
    }

    @Test
    void aDroppedTableThatIsGoneIsNotFoundEvenForAFrontEndThatRemembersIt() {
        insert();
        client.cluster.drop(table);
        client.cluster.remove(Registry.key(CoreClient.ACCOUNT, "orders"));

        Answer answer = client.ask("GET", ADDRESS);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(CoreClient.text(answer)).contains("\"TableNotFound\"");
    }

    @Test
    void requestsUnderWayAtOnceDoNotDisturbEachOther() {
        client.ask("GET", ADDRESS);
        client.cluster.failNext(Fault.SILENCE);
        CompletableFuture<Answer> slow = client.send("POST", "/Orders?timeout=9", client.headers(), BODY);

        Answer quick = client.ask("PUT", "/Orders(PartitionKey='q',RowKey='r')", "{}");

        assertThat(quick.status()).isEqualTo(204);
        assertThat(slow).isNotDone();
        assertThat(client.await(slow).status()).isEqualTo(500);
    }

    @Test
    void whatHasEndedLeavesNoTimerBehind() {
        client.cluster.failNext(Fault.BUSY, Fault.BUSY);
        insert();
        client.ask("GET", "/Orders()");
        client.cluster.failNext(Fault.SILENCE);
        client.ask("GET", ADDRESS);

        assertThat(client.loop.timers()).isZero();
    }

    @Test
    void everyRequestIsCountedByOperationAndStatus() {
        insert();
        insert();

        assertThat(client.metric("cleave_front_end_requests_total", "op", "insert", "outcome", "201"))
                .isEqualTo(1);
        assertThat(client.metric("cleave_front_end_requests_total", "op", "insert", "outcome", "409"))
                .isEqualTo(1);
    }

    @Test
    void whatIsPostedBelowATableIsInserted() {
        assertThat(client.ask("POST", "/Orders/Orders", BODY).status()).isEqualTo(201);
        assertThat(client.ask("GET", ADDRESS).status()).isEqualTo(200);
        assertThat(CoreClient.text(client.ask("POST", "/Orders/Tables", "{\"TableName\":\"Others\"}")))
                .contains("PropertiesNeedValue");
        assertThat(CoreClient.text(client.ask("POST", "/Absent/Tables", BODY))).contains("TableNotFound");
        assertThat(client.ask(
                                "POST",
                                "/Orders/$batch",
                                client.headers().with("Content-Type", "multipart/mixed; boundary=b"),
                                "--b--")
                        .status())
                .isEqualTo(415);
    }
}
