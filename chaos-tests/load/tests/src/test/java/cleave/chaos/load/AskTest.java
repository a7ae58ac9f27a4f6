package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Answer;
import cleave.client.Request;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AskTest {
    private static final Request ANY = Request.of("GET", "/");

    @Test
    void aPageIsRightWithAllItsEntitiesOrWithATokenToGoOn() {
        Ask page = Ask.page(ANY, 2);

        assertThat(page.isRight().test(answer(200, "{\"RowKey\":\"a\"},{\"RowKey\":\"b\"}")))
                .isTrue();
        assertThat(page.isRight().test(answer(200, "{\"RowKey\":\"a\"}"))).isFalse();
        assertThat(page.isRight().test(answer(503, "busy"))).isFalse();
        assertThat(page.isRight().test(new Answer(200, Map.of("x-ms-continuation-nextpartitionkey", "p"), new byte[0])))
                .isTrue();
    }

    @Test
    void aTransactionIsWrongIfAnOperationInItFailed() {
        Ask transaction = Ask.transaction(ANY);

        assertThat(transaction.isRight().test(answer(202, "--b\r\n\r\nHTTP/1.1 204 No Content")))
                .isTrue();
        assertThat(transaction.isRight().test(answer(202, "--b\r\n\r\nHTTP/1.1 409 Conflict")))
                .isFalse();
        assertThat(transaction.isRight().test(answer(202, "--b\r\n\r\nHTTP/1.1 503 Service Unavailable")))
                .isFalse();
        assertThat(transaction.isRight().test(answer(500, ""))).isFalse();
    }

    private static Answer answer(int status, String text) {
        return new Answer(status, Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }
}
