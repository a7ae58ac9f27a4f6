package cleave.chaos.lab.partitioning;

import cleave.client.Request;
import cleave.client.Requests;
import java.util.List;

/** A query for all of a partition. Pure. */
final class PartitionRead {
    private PartitionRead() {}

    static Request of(Requests requests, String table, String partition) {
        return requests.query(table, List.of(Requests.option("$filter", "PartitionKey eq '" + partition + "'")));
    }
}
