package cleave.chaos.operation;

import cleave.chaos.history.Call;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Page;
import cleave.chaos.history.Result;
import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.JsonText;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A complete scan by continuation tokens, page by page. Confined to its client.
 *
 * <p>A token is the next key to examine, so a page shows for every key before it whether an entity exists.
 */
public final class Walk {
    private final int scan;
    private final @Nullable EntityKey end;
    private final String filter;
    private String select = "";
    private EntityKey position;
    private @Nullable Continuation from;
    private boolean atEnd;

    private Walk(int scan, EntityKey begin, @Nullable EntityKey end, String filter) {
        this.scan = scan;
        this.position = begin;
        this.end = end;
        this.filter = filter;
    }

    /**
     * Over a whole table.
     *
     * @param scan a number that is unique among the client's walks
     */
    public static Walk ofTable(int scan, String table) {
        return new Walk(scan, EntityKey.beginOf(table), null, "");
    }

    /** Over the entities of a table whose RowKeys have this prefix; others do not count. */
    public static Walk ofRowsThatBegin(int scan, String table, String prefix) {
        String filter = "RowKey ge '" + prefix + "' and RowKey lt '" + prefix + "~'";
        return new Walk(scan, EntityKey.beginOf(table), null, filter);
    }

    /** Over the keys of a table alone. */
    public static Walk ofKeys(int scan, String table) {
        Walk walk = ofTable(scan, table);
        walk.select = "PartitionKey,RowKey";
        return walk;
    }

    public static Walk ofPartition(int scan, String table, String partition) {
        return new Walk(
                scan,
                new EntityKey(table, partition, ""),
                new EntityKey(table, partition + '\0', ""),
                "PartitionKey eq '" + partition + "'");
    }

    /** Over the rows of a partition between two rows, both included. */
    public static Walk ofRows(int scan, EntityKey first, EntityKey last) {
        return new Walk(
                scan,
                first,
                last.next(),
                "PartitionKey eq '" + first.partition() + "' and RowKey ge '" + first.row() + "' and RowKey le '"
                        + last.row() + "'");
    }

    /** Over one entity: a read by a query. */
    public static Walk ofEntity(int scan, EntityKey key) {
        return new Walk(
                scan, key, key.next(), "PartitionKey eq '" + key.partition() + "' and RowKey eq '" + key.row() + "'");
    }

    /** The request for the next page; not to be called at the end. */
    public Request request(Requests to, int top) {
        List<String> options = new ArrayList<>();
        if (!filter.isEmpty()) {
            options.add(Requests.option("$filter", filter));
        }
        if (!select.isEmpty()) {
            options.add(Requests.option("$select", select));
        }
        if (top > 0) {
            options.add(Requests.option("$top", String.valueOf(top)));
        }
        return to.query(EntityRequests.nameOf(position.table()), options, from)
                .without("Accept")
                .with("Accept", "application/json;odata=fullmetadata");
    }

    /** Reads an answer of status 200 and advances to its token. Throws if it cannot be read. */
    public Page took(Call call, Answer answer) throws IOException {
        List<Page.Row> rows = new ArrayList<>();
        for (Map<String, @Nullable Object> entity : JsonText.entities(answer.body())) {
            EntityKey key = new EntityKey(
                    position.table(), String.valueOf(entity.get("PartitionKey")), String.valueOf(entity.get("RowKey")));
            rows.add(new Page.Row(
                    key, Result.read(String.valueOf(entity.get("odata.etag")), Interpretation.ours(entity))));
        }
        EntityKey begin = position;
        from = Continuation.of(answer);
        atEnd = from == null;
        if (from != null) {
            position = new EntityKey(begin.table(), from.partitionKey(), from.rowKey());
        }
        return new Page(call, scan, begin, atEnd ? end : position, rows);
    }

    /** The next key to examine. */
    public EntityKey position() {
        return position;
    }

    public boolean isAtEnd() {
        return atEnd;
    }
}
