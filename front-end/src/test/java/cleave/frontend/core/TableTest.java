package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.request.Answer;
import cleave.model.Key;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableTest {
    private static final Pattern NAME = Pattern.compile("\"TableName\":\"([^\"]*)\"");

    private final CoreClient client = new CoreClient();

    private Answer create(String name) {
        return client.ask("POST", "/Tables", "{\"TableName\":\"" + name + "\"}");
    }

    private static List<String> names(Answer answer) {
        List<String> names = new ArrayList<>();
        Matcher matcher = NAME.matcher(CoreClient.text(answer));
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    @Test
    void aCreatedTableCanBeGotListedAndUsed() {
        Answer created = create("Orders");

        assertThat(created.status()).isEqualTo(201);
        assertThat(CoreClient.text(created)).isEqualTo("{\"TableName\":\"Orders\"}");
        assertThat(created.header("Location")).isEqualTo("http://127.0.0.1:10002/devstoreaccount1/Tables('Orders')");
        assertThat(CoreClient.text(client.ask("GET", "/Tables('oRDERS')"))).isEqualTo("{\"TableName\":\"Orders\"}");
        assertThat(client.ask("GET", "/Tables('Orders')?$filter=TableName%20ge%20'O'")
                        .status())
                .isEqualTo(200);
        assertThat(client.ask("GET", "/Tables('Orders')?$filter=TableName%20eq%20'orders'")
                        .status())
                .isEqualTo(404);
        assertThat(CoreClient.text(client.ask("GET", "/Tables"))).isEqualTo("{\"value\":[{\"TableName\":\"Orders\"}]}");
        assertThat(client.ask("PUT", "/orders(PartitionKey='',RowKey='')", "{}").status())
                .isEqualTo(204);
    }

    @Test
    void aCreationWithoutContentNamesTheTableInItsHeaders() {
        Answer answer = client.ask(
                "POST", "/Tables", client.headers().with("Prefer", "return-no-content"), "{\"TableName\":\"Orders\"}");

        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.header("Preference-Applied")).isEqualTo("return-no-content");
        assertThat(answer.header("DataServiceId")).isEqualTo(answer.header("Location"));
    }

    @Test
    void aTableExistsUnderItsNameInAnyCaseAndThatNeedsNoMaster() {
        create("Orders");
        client.master.answerWith(ErrorCode.UNAVAILABLE);

        Answer answer = create("ORDERS");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(CoreClient.text(answer)).contains("\"TableAlreadyExists\"");
    }

    @ParameterizedTest
    @CsvSource({"UNAVAILABLE,503", "UNKNOWN_OUTCOME,503", "INVALID,500"})
    void withoutAMasterNoTableIsCreated(ErrorCode code, int status) {
        client.master.answerWith(code);

        assertThat(create("Orders").status()).isEqualTo(status);
        assertThat(names(client.ask("GET", "/Tables"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"UNAVAILABLE,503", "UNKNOWN_OUTCOME,500", "NOT_FOUND,404"})
    void anAnswerOfTheMastersToADropIsTold(ErrorCode code, int status) {
        create("Orders");
        client.master.answerWith(code);

        assertThat(client.ask("DELETE", "/Tables('Orders')").status()).isEqualTo(status);
    }

    @Test
    void aDeletedTableIsGoneAndItsNameIsFree() {
        create("Orders");
        client.ask("PUT", "/Orders(PartitionKey='p',RowKey='r')", "{}");

        Answer deleted = client.ask("DELETE", "/Tables('oRDers')");

        assertThat(deleted.status()).isEqualTo(204);
        assertThat(client.ask("GET", "/Tables('Orders')").status()).isEqualTo(404);
        assertThat(create("Orders").status()).isEqualTo(201);
        assertThat(CoreClient.text(client.ask("GET", "/Orders()"))).isEqualTo("{\"value\":[]}");
    }

    @Test
    void aTableWhoseDropIsUnderWayIsBeingDeletedForCreationAndNotThereForTheRest() {
        create("Orders");
        client.master.leaveDropsUndone();
        Answer first = client.ask("DELETE", "/Tables('Orders')");

        assertThat(first.status()).isEqualTo(500);
        assertThat(CoreClient.text(create("Orders"))).contains("\"TableBeingDeleted\"");
        assertThat(create("Orders").status()).isEqualTo(409);
        assertThat(names(client.ask("GET", "/Tables"))).isEmpty();
        assertThat(client.ask("GET", "/Tables('Orders')").status()).isEqualTo(404);
        assertThat(client.ask("DELETE", "/Tables('Orders')").status()).isEqualTo(500);
    }

    @ParameterizedTest
    @CsvSource({"Nothing", "a", "with-dash", "tables"})
    void whatIsNoTableIsNotFoundOnDeleteAndGet(String name) {
        for (String verb : List.of("GET", "DELETE")) {
            Answer answer = client.ask(verb, "/Tables('" + name + "')");

            assertThat(answer.status()).isEqualTo(404);
            assertThat(CoreClient.text(answer)).contains("\"ResourceNotFound\"");
        }
    }

    @Test
    void illegalNamesAreRefusedBeforeAnythingIsAsked() {
        assertThat(CoreClient.text(create("a"))).contains("\"OutOfRangeInput\"");
        assertThat(CoreClient.text(create("with-dash"))).contains("\"InvalidResourceName\"");
        assertThat(client.cluster.calls()).isEmpty();
    }

    @Test
    void tablesAreListedByPagesInTheOrderOfTheirNamesAndOnlyThoseOfTheAccount() {
        for (String name : List.of("banana", "Apple", "cherry", "date", "Elder")) {
            client.table(name);
        }
        client.cluster.put(
                Registry.key("someoneelse", "fig"), EntityCodec.encode(new Registry(77, "fig", false).toEntity()));
        client.cluster
                .splitAt(Key.beforePartition(Registry.TABLE, CoreClient.ACCOUNT))
                .publish();

        Answer first = client.ask("GET", "/Tables?$top=2");
        Answer second =
                client.ask("GET", "/Tables?$top=3&NextTableName=" + first.header("x-ms-continuation-NextTableName"));

        assertThat(names(first)).containsExactly("Apple", "banana");
        assertThat(names(second)).containsExactly("cherry", "date", "Elder");
        assertThat(second.header("x-ms-continuation-NextTableName")).isNull();
    }

    @Test
    void tablesAreFilteredByName() {
        for (String name : List.of("logA", "logB", "other")) {
            client.table(name);
        }

        Answer answer = client.ask("GET", "/Tables?$filter=TableName%20ge%20'log'%20and%20TableName%20lt%20'loh'");

        assertThat(names(answer)).containsExactly("logA", "logB");
    }

    @Test
    void aCreationThatLosesARaceIsRefused() {
        client.cluster.failNext(
                FakeCluster.Fault.UNAVAILABLE); // The registry's first answer is late: the other one is faster.
        var slow = client.send("POST", "/Tables", client.headers(), "{\"TableName\":\"Orders\"}");
        client.table("Orders");

        assertThat(client.await(slow).status()).isEqualTo(409);
    }
}
