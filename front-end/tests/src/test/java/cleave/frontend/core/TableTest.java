package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.request.Answer;
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

    @Test
    void illegalNamesAreRefusedBeforeAnythingIsAsked() {
        assertThat(CoreClient.text(create("a"))).contains("\"OutOfRangeInput\"");
        assertThat(CoreClient.text(create("with-dash"))).contains("\"InvalidResourceName\"");
        assertThat(client.cluster.calls()).isEmpty();
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
