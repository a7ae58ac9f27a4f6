package cleave.chaos.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.StringByteIterator;

class FieldsTest {
    private static Map<String, @Nullable Object> parsed(String json) throws IOException {
        return JsonText.object(json.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> read(String json, @Nullable Set<String> wanted) throws IOException {
        Map<String, ByteIterator> record = new HashMap<>();
        Fields.read(parsed(json), wanted, record);
        Map<String, String> texts = new HashMap<>();
        record.forEach((name, value) -> texts.put(name, value.toString()));
        return texts;
    }

    @Test
    void everyByteSurvives() throws IOException {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        Map<String, ByteIterator> record = new HashMap<>();

        String json = Fields.properties(Map.of("field0", new ByteArrayByteIterator(bytes)));
        Fields.read(parsed(json), null, record);

        assertThat(record).hasSize(1);
        record.forEach((name, value) -> assertThat(value.toArray()).isEqualTo(bytes));
    }

    @Test
    void anEntityHasItsKeysAndFields() throws IOException {
        String json = Fields.entity("p", "r", Map.of("field0", new StringByteIterator("\"x\"")));

        assertThat(parsed(json)).isEqualTo(Map.of("PartitionKey", "p", "RowKey", "r", "field0", "\"x\""));
    }

    @Test
    void whatTheServiceAddsIsNoField() throws IOException {
        String json =
                "{\"odata.etag\":\"e\",\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"Timestamp\":\"t\",\"A\":1,\"B\":null,"
                        + "\"C@odata.type\":\"Edm.Int64\",\"C\":\"5\"}";

        assertThat(read(json, null)).isEqualTo(Map.of("A", "1", "C", "5"));
        assertThat(read(json, Set.of("C", "B"))).isEqualTo(Map.of("C", "5"));
    }
}
