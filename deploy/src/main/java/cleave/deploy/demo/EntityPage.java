package cleave.deploy.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a query's answer. Immutable.
 *
 * @param keys {@code PartitionKey/RowKey} of its entities, in the order of the page
 * @param next the continuation token, as the two query parameters that ask for the next page; null at the end
 */
record EntityPage(
        List<String> keys, @Nullable String next, @Nullable Explain explain) {
    private static final JsonFactory JSON = new JsonFactory();

    /** The keys in a body: of one entity, or of all in its {@code value}. */
    static List<String> keysOf(byte[] body) throws IOException {
        List<String> keys = new ArrayList<>();
        try (JsonParser json = JSON.createParser(body)) {
            String partitionKey = null;
            String rowKey = null;
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.VALUE_STRING && "PartitionKey".equals(json.currentName())) {
                    partitionKey = json.getText();
                } else if (token == JsonToken.VALUE_STRING && "RowKey".equals(json.currentName())) {
                    rowKey = json.getText();
                } else if (token == JsonToken.END_OBJECT && partitionKey != null && rowKey != null) {
                    keys.add(partitionKey + "/" + rowKey);
                    partitionKey = null;
                    rowKey = null;
                }
            }
        }
        return keys;
    }
}
