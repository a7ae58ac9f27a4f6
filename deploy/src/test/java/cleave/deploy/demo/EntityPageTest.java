package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EntityPageTest {
    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void theKeysOfAListComeInItsOrder() throws IOException {
        byte[] body = utf8("{\"value\":[{\"PartitionKey\":\"b\",\"RowKey\":\"2\",\"Name\":\"PartitionKey\"},"
                + "{\"RowKey\":\"1\",\"PartitionKey\":\"a\"}]}");

        assertThat(EntityPage.keysOf(body)).containsExactly("b/2", "a/1");
    }

    @Test
    void oneEntityIsAPageOfOne() throws IOException {
        assertThat(EntityPage.keysOf(utf8("{\"PartitionKey\":\"a\",\"RowKey\":\"1\"}")))
                .containsExactly("a/1");
        assertThat(EntityPage.keysOf(utf8("{\"value\":[]}"))).isEmpty();
    }

    @Test
    void whatIsNoJsonIsRefused() {
        assertThatThrownBy(() -> EntityPage.keysOf(utf8("<html>"))).isInstanceOf(IOException.class);
    }
}
