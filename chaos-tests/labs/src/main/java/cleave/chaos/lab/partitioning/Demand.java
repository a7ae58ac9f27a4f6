package cleave.chaos.lab.partitioning;

import cleave.chaos.fault.RecordingClients;
import cleave.chaos.load.Ask;
import cleave.chaos.operation.Bodies;
import cleave.client.Request;
import cleave.client.Requests;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** The requests that clients send to a table, each for {@link #ENTITIES} entities. Thread-safe. */
interface Demand {
    int ENTITIES = 10;
    int PARTITIONS = 100;
    String TEXT = "x".repeat(100);

    Ask next(Requests requests, Random random);

    /** Half are pages of one partition and half are upserts of its entities, evenly over all partitions. */
    static Demand uniform(String table) {
        return (requests, random) -> either(requests, table, random.nextInt(PARTITIONS), random);
    }

    /** The same, but one partition gets most. */
    static Demand popular(String table, int partition, double share) {
        return (requests, random) -> {
            int chosen = random.nextDouble() < share ? partition : random.nextInt(PARTITIONS);
            return either(requests, table, chosen, random);
        };
    }

    /** Inserts only, each into a partition behind all existing ones. */
    static Demand append(String table) {
        AtomicLong next = new AtomicLong();
        return (requests, random) -> {
            String partitionKey = String.format(Locale.ROOT, "q%012d", next.getAndIncrement());
            return transaction(requests, "POST", table, partitionKey);
        };
    }

    private static Ask either(Requests requests, String table, int partition, Random random) {
        String partitionKey = RecordingClients.partitionKey(partition);
        return random.nextBoolean() ? page(requests, table, partitionKey) : upserts(requests, table, partitionKey);
    }

    private static Ask page(Requests requests, String table, String partitionKey) {
        String filter = "PartitionKey eq '" + partitionKey + "' and RowKey lt '" + row(ENTITIES) + "'";
        return Ask.page(requests.query(table, List.of(Requests.option("$filter", filter))), ENTITIES);
    }

    /** Writes what pages of a partition give. */
    static Ask upserts(Requests requests, String table, String partitionKey) {
        return transaction(requests, "PUT", table, partitionKey);
    }

    private static Ask transaction(Requests requests, String method, String table, String partitionKey) {
        return Ask.transaction(requests.transaction(IntStream.range(0, ENTITIES)
                .mapToObj(row -> part(requests, method, table, partitionKey, row(row)))
                .toList()));
    }

    private static Request part(Requests requests, String method, String table, String partitionKey, String rowKey) {
        String address = method.equals("POST")
                ? requests.endpoint().prefix() + "/" + table
                : requests.address(table, partitionKey, rowKey);
        return requests.part(method, address, "", Bodies.of(partitionKey, rowKey, Map.of("Text", TEXT)));
    }

    static String row(int number) {
        return String.format(Locale.ROOT, "r%02d", number);
    }
}
