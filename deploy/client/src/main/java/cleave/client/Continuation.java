package cleave.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place where a query continues after a page, as the service reports it. Immutable.
 *
 * @param row empty if the next page begins at the beginning of a partition
 */
public record Continuation(String partition, String row) {
    private static final String PARTITION = "NextPartitionKey";
    private static final String ROW = "NextRowKey";
    private static final String HEADER = "x-ms-continuation-";

    /** The continuation after this page; null if the query has ended. */
    public static @Nullable Continuation of(Answer page) {
        String partition = page.header(HEADER + PARTITION);
        return partition.isEmpty() ? null : new Continuation(partition, page.header(HEADER + ROW));
    }

    /** The PartitionKey that the next page begins at. IOException if the token is not one of Cleave's. */
    public String partitionKey() throws IOException {
        return decoded(partition);
    }

    /** The RowKey that the next page begins at. */
    public String rowKey() throws IOException {
        return decoded(row);
    }

    /** {@code 1!LENGTH!} and base64 with other signs. */
    private static String decoded(String token) throws IOException {
        String text = token.substring(token.lastIndexOf('!') + 1)
                .replace('-', '=')
                .replace('_', '/')
                .replace('.', '+');
        try {
            return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new IOException("no token: " + token, malformed);
        }
    }

    /** The options of the query for the next page, encoded. */
    public List<String> options() {
        String partitionOption = Requests.option(PARTITION, partition);
        return row.isEmpty() ? List.of(partitionOption) : List.of(partitionOption, Requests.option(ROW, row));
    }
}
