package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.fuzz.Seeds;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Request;
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
    void everyOperationOfAChangesetIsAnswered() {
        Answer answer = send(insert("p", "a"), at("PATCH", "b", "\r\n{\"M\":1}"));

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.header("Content-Type")).startsWith("multipart/mixed; boundary=batchresponse_");
        assertThat(CoreClient.text(answer))
                .startsWith("--batchresponse_")
                .contains("HTTP/1.1 204 No Content\r\n", "Preference-Applied: return-no-content", "ETag: W/\"datetime'")
                .contains("Location: http://127.0.0.1:10002/devstoreaccount1/Orders(PartitionKey='p',RowKey='a')");
        assertThat(client.cluster.count(KeyRange.ofTable(table))).isEqualTo(2);
    }

    @Test
    void aConflictNamesItsOperationAndUndoesTheRest() {
        client.entity(table, "p", "taken", 1);

        Answer answer = send(insert("p", "a"), insert("p", "taken"));

        assertThat(answer.status()).isEqualTo(202);
        assertThat(CoreClient.text(answer))
                .contains("HTTP/1.1 409 Conflict", "\"EntityAlreadyExists\"", "1:The specified entity already exists.");
        assertThat(client.cluster.get(Key.of(table, "p", "a"))).isNull();
    }

    @Test
    void aChangesetKeepsToOnePartitionAndNamesNoEntityTwice() {
        Answer partitions = send(insert("p", "a"), insert("q", "a"));
        Answer twice = send(insert("p", "a"), insert("p", "a"));

        assertThat(partitions.status()).isEqualTo(202);
        assertThat(CoreClient.text(partitions)).contains("\"CommandsInBatchActOnDifferentPartitions\"", "\"1:");
        assertThat(twice.status()).isEqualTo(202);
        assertThat(CoreClient.text(twice)).contains("\"InvalidDuplicateRow\"", "\"1:");
        assertThat(client.cluster.count(KeyRange.ofTable(table))).isZero();
    }

    @Test
    void aBadOperationIsRefusedByItsIndex() {
        Answer answer = send(insert("p", "a"), at("PUT", "b", "\r\n{nonsense"));

        assertThat(answer.status()).isEqualTo(202);
        assertThat(CoreClient.text(answer)).contains("HTTP/1.1 400", "\"InvalidInput\"", "\"1:");
    }

    @Test
    void aMissingTableCountsAsTheFirstOperations() {
        Answer answer = send(insert("p", "a").replace("/Orders", "/Missing"));

        assertThat(answer.status()).as(CoreClient.text(answer)).isEqualTo(202);
        assertThat(CoreClient.text(answer)).contains("\"TableNotFound\"", "0:The table specified does not exist.");
    }

    @Test
    void whatConcernsTheWholeRequestIsItsOwnStatus() {
        client.ask("GET", "/Orders()?$top=0");
        client.ask("GET", "/Orders(PartitionKey='p',RowKey='r')");
        client.cluster.failNext(Fault.LOST_REQUEST);

        assertThat(send(insert("p", "a")).status()).isEqualTo(500);
        assertThat(sendRaw("nonsense").status()).isEqualTo(400);
    }

    private Answer secondary(String body) {
        String target = "/" + CoreClient.ACCOUNT + "-secondary/$batch";
        SignedHeaders headers = client.headers().with("Content-Type", "multipart/mixed; boundary=batch_1");
        return client.await(client.answer(
                Request.of("id", "POST", target, "http", "127.0.0.1", headers.signed(target, client.loop.ticks())),
                body));
    }

    @Test
    void theSecondaryAnswersABatchOfOneGetAndNoChangeset() {
        client.entity(table, "p", "a", 1);
        String get = "--batch_1\r\nContent-Type: application/http\r\n\r\n" + at("GET", "a", "\r\n") + "\r\n--batch_1--";

        assertThat(CoreClient.text(secondary(get))).contains("HTTP/1.1 200 OK");
        assertThat(secondary(changeset(List.of(insert("p", "b")))).status()).isEqualTo(403);
        assertThat(secondary(changeset(List.of())).status()).isEqualTo(403);
        assertThat(client.cluster.count(KeyRange.ofTable(table))).isEqualTo(1);
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
    void aRefusedInsertEchoesItsPreferenceAndAnotherWriteHasNone() {
        client.entity(table, "p", "taken", 1);

        String conflict = CoreClient.text(send(insert("p", "taken")));
        String invalid = CoreClient.text(send(insert("p/q", "a")));
        String missing =
                CoreClient.text(send(at("PATCH", "none", "Prefer: return-no-content\r\nIf-Match: *\r\n\r\n{}")));

        assertThat(conflict)
                .contains("HTTP/1.1 409", "Preference-Applied: return-no-content", "\"The specified entity already");
        assertThat(invalid).contains("HTTP/1.1 400", "Preference-Applied: return-no-content", "\"0:The 'Partition");
        assertThat(missing).contains("HTTP/1.1 404").doesNotContain("Preference-Applied");
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

    @Test
    void aBatchMayHoldOneQueryInstead() {
        client.entity(table, "p", "r", 1);
        String get = "--batch_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
                + at("GET", "r", "Accept: application/json;odata=nometadata\r\n\r\n") + "\r\n--batch_1--\r\n";

        Answer found = sendRaw(get);
        Answer missing = sendRaw(get.replace("RowKey='r'", "RowKey='x'"));

        assertThat(found.status()).isEqualTo(202);
        assertThat(CoreClient.text(found)).contains("HTTP/1.1 200 OK", "\"N\":1");
        assertThat(missing.status()).isEqualTo(202);
        assertThat(CoreClient.text(missing)).contains("HTTP/1.1 404", "\"ResourceNotFound\"");
    }

    @Test
    void theOneQueryOfABatchHasAFilterAndACondition() {
        client.entity(table, "p", "r", 1);
        String get = "--batch_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
                + at("GET", "r", "Accept: application/json;odata=nometadata\r\n\r\n") + "\r\n--batch_1--\r\n";

        Answer holds = sendRaw(get.replace("') HTTP", "')?$filter=N%20eq%201 HTTP"));
        Answer doesNot = sendRaw(get.replace("') HTTP", "')?$filter=N%20eq%202 HTTP"));
        Answer same = sendRaw(get.replace("Accept:", "If-None-Match: *\r\nAccept:"));

        assertThat(CoreClient.text(holds)).contains("HTTP/1.1 200 OK", "\"N\":1");
        assertThat(CoreClient.text(doesNot)).contains("HTTP/1.1 404", "0:The specified resource does not exist.");
        assertThat(CoreClient.text(same))
                .contains("HTTP/1.1 304 Not Modified\r\n", "ETag: W/\"datetime'")
                .doesNotContain("application/json", "\"N\":1");
    }
}
