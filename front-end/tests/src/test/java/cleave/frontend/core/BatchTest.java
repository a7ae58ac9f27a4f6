package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.fuzz.Seeds;
import cleave.frontend.request.Answer;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BatchTest {
    private final CoreClient client = new CoreClient();
    private long table;

    @BeforeEach
    void makeTable() {
        table = client.table("Orders");
    }

    private static String insert(String partitionKey, String rowKey) {
        return "POST http://127.0.0.1:10002/devstoreaccount1/Orders HTTP/1.1\r\nContent-Type: application/json\r\n"
                + "Accept: application/json;odata=minimalmetadata\r\nPrefer: return-no-content\r\n\r\n"
                + "{\"PartitionKey\":\"" + partitionKey + "\",\"RowKey\":\"" + rowKey + "\",\"N\":1}";
    }

    private static String at(String verb, String rowKey, String more) {
        return verb + " http://127.0.0.1:10002/devstoreaccount1/Orders(PartitionKey='p',RowKey='" + rowKey
                + "') HTTP/1.1\r\nContent-Type: application/json\r\n" + more;
    }

    private static String changeset(List<String> operations) {
        StringBuilder text =
                new StringBuilder("--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n");
        for (String operation : operations) {
            text.append("--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n")
                    .append(operation)
                    .append("\r\n");
        }
        return text.append("--changeset_1--\r\n--batch_1--\r\n").toString();
    }

    private Answer sendRaw(String body) {
        return client.ask(
                "POST", "/$batch", client.headers().with("Content-Type", "multipart/mixed; boundary=batch_1"), body);
    }

    private Answer send(String... operations) {
        return sendRaw(changeset(List.of(operations)));
    }

    @Test
    void aChangesetIsOneWrite() {
        client.ask("GET", "/Orders()?$top=0");
        client.ask("PUT", "/Orders(PartitionKey='p',RowKey='old')", "{}");
        client.cluster.forgetCalls();

        Answer answer = send(
                insert("p", "a"),
                at("MERGE", "b", "\r\n{\"M\":1}"),
                at("PUT", "old", "If-Match: *\r\n\r\n{\"M\":1}"),
                at("DELETE", "old2", "If-Match: *\r\n\r\n"));

        assertThat(answer.status()).isEqualTo(202);
        assertThat(CoreClient.text(answer)).contains("HTTP/1.1 404", "3:The specified resource does not exist.");
        assertThat(client.cluster.calls()).containsExactly("write s1");
        assertThat(client.cluster.count(KeyRange.ofTable(table))).isEqualTo(1);
    }

    @Test
    void whatConcernsTheWholeRequestIsItsOwnStatus() {
        client.ask("GET", "/Orders()?$top=0");
        client.ask("GET", "/Orders(PartitionKey='p',RowKey='r')");
        client.cluster.failNext(Fault.LOST_REQUEST);

        assertThat(send(insert("p", "a")).status()).isEqualTo(500);
        assertThat(sendRaw("nonsense").status()).isEqualTo(400);
    }

    @Test
    void anEmptyChangesetIsAnsweredByOneAndReachesNoRange() {
        client.cluster.forgetCalls();

        Answer answer = send();

        assertThat(answer.status()).isEqualTo(202);
        assertThat(CoreClient.text(answer)).contains("--changesetresponse_").doesNotContain("HTTP/1.1");
        assertThat(client.cluster.calls()).isEmpty();
    }

    private static Stream<String> ofEachClient() {
        return Seeds.of("batch").stream().limit(7);
    }

    /** Only what clients put into the inner headers is echoed. */
    @ParameterizedTest
    @MethodSource("ofEachClient")
    void theFormOfEachClientIsExecuted(String body) {
        boolean inserts = body.contains("POST");
        client.entity(table, "p", inserts ? "00" : "01", 1);
        client.entity(table, "p", "02", 1);

        String answer = CoreClient.text(client.ask(
                "POST",
                "/$batch",
                client.headers().with("Content-Type", "multipart/mixed; boundary=b"),
                body.replace("/acct/", "/devstoreaccount1/")));

        assertThat(answer.split("HTTP/1.1 204 No Content\r\n", -1)).as(answer).hasSize(3);
        assertThat(answer.contains("Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;"))
                .isEqualTo(inserts);
        assertThat(answer).contains("DataServiceVersion: 1.0;\r\nETag: W/");
        boolean echoes = body.indexOf("Content-ID") > body.indexOf("HTTP/1.1");
        assertThat(answer.contains("No Content\r\nContent-ID: ")).isEqualTo(echoes);
        assertThat(client.cluster.get(Key.of(table, "p", "01"))).isNotNull();
    }

    @Test
    void aQueryInABatchGoesOnWhereItsPageEnded() {
        client.entity(table, "p", "a", 1);
        client.entity(table, "p", "b", 2);
        String get = String.join(
                "\r\n",
                "--batch_1",
                "",
                "GET http://127.0.0.1:10002/devstoreaccount1/Orders()?$top=1 HTTP/1.1",
                "Accept: application/json;odata=nometadata",
                "",
                "--batch_1--",
                "");

        String page = CoreClient.text(sendRaw(get));

        assertThat(page)
                .contains(
                        "HTTP/1.1 200 OK",
                        "x-ms-continuation-NextPartitionKey: 1!4!cA--\r\n",
                        "x-ms-continuation-NextRowKey: 1!4!Y");
        String token = page.replaceAll("(?s).*NextRowKey: (\\S+)\r\n.*", "$1");
        String rest = CoreClient.text(sendRaw(
                get.replace("$top=1", "$top=1&NextPartitionKey=1!4!cA--&NextRowKey=" + token.replace("!", "%21"))));
        assertThat(rest).contains("\"N\":2").doesNotContain("\"N\":1");
    }
}
