package cleave.chaos.load;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/**
 * The data that loads work on: 10,000 entities of about 500 bytes, 100 per partition. Pure, except for {@link #load}.
 */
final class Sample {
    static final int PARTITIONS = 100;
    static final int ROWS = 100;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TEXT = "The quick brown fox jumps over the lazy dog. ".repeat(6);

    private Sample() {}

    static String partition(int number) {
        return String.format(Locale.ROOT, "p%03d", number);
    }

    static String row(int number) {
        return String.format(Locale.ROOT, "r%03d", number);
    }

    static String json(String partitionKey, String rowKey) {
        return "{\"PartitionKey\":\"" + partitionKey + "\",\"RowKey\":\"" + rowKey
                + "\",\"Name\":\"" + partitionKey + rowKey + "\",\"Count\":42,\"Share\":0.25,\"Active\":true,"
                + "\"Big\":\"1099511627776\",\"Big@odata.type\":\"Edm.Int64\","
                + "\"Day\":\"2024-05-01T08:00:00.1234567Z\",\"Day@odata.type\":\"Edm.DateTime\","
                + "\"Text\":\"" + TEXT + "\"}";
    }

    /** Creates the table and inserts the data. */
    static void load(Endpoint endpoint, String table) throws IOException {
        Requests requests = new Requests(endpoint);
        try (Connection connection = Connection.open(endpoint, PATIENCE)) {
            need(connection.exchange(requests.createTable(table)), 204);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                need(
                        connection.exchange(
                                requests.transaction(LoadKind.upserts(requests, table, partition(partition)))),
                        202);
            }
        }
    }

    private static void need(Answer answer, int status) throws IOException {
        if (answer.status() != status) {
            throw new IOException("the sample cannot be loaded: " + answer);
        }
    }
}
