package cleave.chaos.load;

import cleave.chaos.client.Request;
import cleave.chaos.client.Requests;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** The kind of a load's operations. Each operation counts as one, however many entities it touches. */
public enum LoadKind {
    /** A point get of an entity that exists. */
    GET("point get"),
    /** An insert of a new entity. */
    INSERT("insert"),
    /** A merge of one property into an entity that exists. */
    MERGE("merge"),
    /** A query of one partition of 100 entities. */
    QUERY("100-entity query"),
    /** An entity group transaction of 100 upserts, in a partition that only this client writes. */
    TRANSACTION("100-operation transaction"),
    /** A query of one partition of 100 entities that takes the first 5. */
    FEW("5-entity query"),
    /** A query of the whole table that finds nothing. */
    SCAN("scan that finds nothing"),
    /** A query of the whole table, of which the first page is taken. */
    PAGE("1,000-entity query");

    /** The kinds in a comparison. */
    static final Set<LoadKind> COMPARED = Collections.unmodifiableSet(EnumSet.range(GET, TRANSACTION));

    private final String title;

    LoadKind(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** The name in commands. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The next request of one client.
     *
     * @param client number of the client, never used by another client of this table
     * @param sequence counts the client's operations
     */
    Ask next(Requests requests, String table, int client, long sequence, Random random) {
        String partition = Sample.partition(random.nextInt(Sample.PARTITIONS));
        String row = Sample.row(random.nextInt(Sample.ROWS));
        Request request = switch (this) {
            case GET -> requests.get(table, partition, row);
            case INSERT ->
                requests.insert(table, Sample.json("i" + random.nextInt(Sample.PARTITIONS), client + "-" + sequence));
            case MERGE -> requests.merge(table, partition, row, "*", "{\"Count\":" + random.nextInt(1_000_000) + "}");
            case QUERY ->
                requests.query(table, List.of(Requests.option("$filter", "PartitionKey eq '" + partition + "'")));
            case FEW ->
                requests.query(
                        table,
                        List.of(
                                Requests.option("$filter", "PartitionKey eq '" + partition + "'"),
                                Requests.option("$top", "5")));
            case SCAN -> requests.query(table, List.of(Requests.option("$filter", "Count lt -1")));
            case PAGE -> requests.query(table, List.of());
            case TRANSACTION -> requests.transaction(upserts(requests, table, "t" + client));
        };
        return this == TRANSACTION ? Ask.transaction(request) : Ask.plain(request);
    }

    static List<Request> upserts(Requests requests, String table, String partition) {
        List<Request> parts = new ArrayList<>(Sample.ROWS);
        for (int i = 0; i < Sample.ROWS; i++) {
            String row = Sample.row(i);
            parts.add(requests.part("PUT", requests.address(table, partition, row), "", Sample.json(partition, row)));
        }
        return parts;
    }
}
