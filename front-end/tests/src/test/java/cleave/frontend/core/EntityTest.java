package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.request.Answer;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
}
