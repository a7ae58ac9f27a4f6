package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.Answer;
import cleave.deploy.CommandFailure;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QueryRunTest {
    private static Answer answer(String text) {
        return new Answer(200, Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theKeysOfAListComeInItsOrder() {
        Answer body = answer("{\"value\":[{\"PartitionKey\":\"b\",\"RowKey\":\"2\",\"Name\":\"PartitionKey\"},"
                + "{\"RowKey\":\"1\",\"PartitionKey\":\"a\"}]}");

        assertThat(QueryRun.keysOf(body)).containsExactly("b/2", "a/1");
    }

    @Test
    void oneEntityIsAPageOfOne() {
        assertThat(QueryRun.keysOf(answer("{\"PartitionKey\":\"a\",\"RowKey\":\"1\"}")))
                .containsExactly("a/1");
        assertThat(QueryRun.keysOf(answer("{\"value\":[]}"))).isEmpty();
    }

    @Test
    void whatIsNoJsonIsRefused() {
        assertThatThrownBy(() -> QueryRun.keysOf(answer("<html>"))).isInstanceOf(CommandFailure.class);
    }
}
