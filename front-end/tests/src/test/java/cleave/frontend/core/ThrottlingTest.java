package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.request.Answer;
import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.frontend.throttle.AccountThrottle;
import cleave.model.Key;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients that ask for more than a partition, or their account, may give. */
class ThrottlingTest {
    private static final String ADDRESS = "/Orders(PartitionKey='p',RowKey='r')";

    private static CoreClient withLimit(int entitiesPerSecond) {
        return withLimits(entitiesPerSecond, 64 << 20);
    }

    private static CoreClient withLimits(int entitiesPerSecond, long heldBytesMax) {
        RequestLimits limits = new RequestLimits(
                TimeUnit.SECONDS.toNanos(30),
                TimeUnit.SECONDS.toNanos(5),
                4 << 20,
                TimeUnit.SECONDS.toNanos(30),
                100,
                10,
                heldBytesMax);
        return new CoreClient(limits, new AccountThrottle(entitiesPerSecond));
    }

    private static double throttled(CoreClient client, String limit) {
        Double count = client.registry.getSampleValue(
                "cleave_front_end_throttled_total", new String[] {"limit"}, new String[] {limit});
        return count == null ? 0 : count;
    }

    @Test
    void aThrottledPartitionIsServerBusyAtOnceAndNotAskedAgain() {
        CoreClient client = withLimit(0);
        client.table("Orders");
        client.ask("GET", ADDRESS);
        client.cluster.forgetCalls();
        client.cluster.failNext(Fault.THROTTLED);
        long began = client.loop.nanos();

        Answer answer = client.ask("GET", ADDRESS);

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(CoreClient.text(answer))
                .contains("\"ServerBusy\"")
                .contains("The server is currently unable to receive requests. Please retry your request.");
        assertThat(client.cluster.calls()).hasSize(1);
        assertThat(client.loop.nanos()).isEqualTo(began);
        assertThat(throttled(client, "partition")).isEqualTo(1);
    }

    @Test
    void aPageThatMeetsAThrottledPartitionEndsThere() {
        CoreClient client = withLimit(0);
        long table = client.table("Orders");
        client.entity(table, "a", "a0", 0);
        client.entity(table, "b", "b0", 0);
        client.cluster.splitAt(Key.beforePartition(table, "b")).publish();
        client.ask("GET", "/Orders()?$top=1");
        client.cluster.failNext(Fault.NONE, Fault.THROTTLED);

        Answer answer = client.ask("GET", "/Orders()");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(CoreClient.text(answer)).contains("\"a0\"").doesNotContain("\"b0\"");
        assertThat(answer.header("x-ms-continuation-NextPartitionKey")).isNotNull();
        assertThat(throttled(client, "partition")).isEqualTo(1);
    }

    @Test
    void anAccountPaysForWhatItsQueriesReturnAndIsLetInWhenThatIsPaid() {
        CoreClient client = withLimit(10);
        long table = client.table("Orders");
        for (int i = 0; i < 30; i++) {
            client.entity(table, "p", "r" + i, i);
        }

        assertThat(client.ask("GET", "/Orders()").status()).isEqualTo(200);
        client.cluster.forgetCalls();
        Answer refused = client.ask("GET", ADDRESS);

        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(CoreClient.text(refused))
                .contains("\"ServerBusy\"")
                .contains("Operations per second is over the account limit.");
        assertThat(client.cluster.calls()).isEmpty();
        assertThat(throttled(client, "account")).isEqualTo(1);
        client.loop.advance(TimeUnit.SECONDS.toNanos(2));
        assertThat(client.ask("GET", ADDRESS).status()).isEqualTo(503);
        client.loop.advance(TimeUnit.SECONDS.toNanos(1));
        assertThat(client.ask("GET", ADDRESS).status()).isEqualTo(404);
    }

    @Test
    void aTransactionCostsTheAccountAllItsEntities() {
        CoreClient client = withLimit(10);
        client.table("Orders");
        StringBuilder batch = new StringBuilder("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n");
        for (int i = 0; i < 30; i++) {
            batch.append("--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n")
                    .append("PUT http://127.0.0.1:10002/devstoreaccount1/Orders(PartitionKey='p',RowKey='" + i + "')")
                    .append(" HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{}\r\n");
        }
        batch.append("--c--\r\n--b--\r\n");

        Answer done = client.ask(
                "POST",
                "/$batch",
                client.headers().with("Content-Type", "multipart/mixed; boundary=b"),
                batch.toString());

        assertThat(done.status()).isEqualTo(202);
        assertThat(client.ask("GET", ADDRESS).status()).isEqualTo(503);
    }

    @Test
    void aPageEndsEarlyRatherThanToHoldTooMuch() {
        CoreClient client = withLimits(0, 1);
        long table = client.table("Orders");
        client.entity(table, "a", "a0", 0);
        client.entity(table, "b", "b0", 0);
        client.cluster.splitAt(Key.beforePartition(table, "b")).publish();

        Answer answer = client.ask("GET", "/Orders()");

        assertThat(CoreClient.text(answer)).contains("\"a0\"").doesNotContain("\"b0\"");
        assertThat(answer.header("x-ms-continuation-NextPartitionKey")).isNotNull();
        assertThat(client.core.admission().heldBytes()).isZero();
    }
}
