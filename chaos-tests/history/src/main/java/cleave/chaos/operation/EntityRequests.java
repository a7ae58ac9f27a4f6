package cleave.chaos.operation;

import cleave.chaos.history.EntityKey;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Write;
import cleave.client.Request;
import cleave.client.Requests;
import java.util.List;

/** The HTTP requests of a history's operations. Pure. */
public final class EntityRequests {
    /** Separates the name of a table from the number of its incarnation. */
    private static final char LIFE = '#';

    private EntityRequests() {}

    /** The name that a history gives one incarnation of a table, which may be deleted and created again. */
    public static String lifeOf(String table, int number) {
        return table + LIFE + number;
    }

    public static String nameOf(String table) {
        int life = table.indexOf(LIFE);
        return life < 0 ? table : table.substring(0, life);
    }

    public static Request get(Requests to, EntityKey key) {
        return to.get(nameOf(key.table()), key.partition(), key.row());
    }

    public static Request write(Requests to, Write write) {
        EntityKey key = write.key();
        String table = nameOf(key.table());
        String json = json(write);
        return switch (write.kind()) {
            case INSERT -> to.insert(table, json);
            case REPLACE -> to.put(table, key.partition(), key.row(), anyOr(write), json);
            case MERGE -> to.merge(table, key.partition(), key.row(), anyOr(write), json);
            case INSERT_OR_REPLACE -> to.put(table, key.partition(), key.row(), "", json);
            case INSERT_OR_MERGE -> to.merge(table, key.partition(), key.row(), "", json);
            case DELETE -> to.delete(table, key.partition(), key.row(), anyOr(write));
            case GET -> throw new AssertionError("a read is no write");
        };
    }

    public static Request transaction(Requests to, List<Write> writes) {
        return to.transaction(writes.stream().map(write -> part(to, write)).toList());
    }

    private static Request part(Requests to, Write write) {
        return switch (write.kind()) {
            case INSERT -> part(to, "POST", write, "");
            case REPLACE -> part(to, "PUT", write, anyOr(write));
            case MERGE -> part(to, "PATCH", write, anyOr(write));
            case INSERT_OR_REPLACE -> part(to, "PUT", write, "");
            case INSERT_OR_MERGE -> part(to, "PATCH", write, "");
            case DELETE -> part(to, "DELETE", write, anyOr(write));
            case GET -> throw new AssertionError("a read is no write");
        };
    }

    private static Request part(Requests to, String method, Write write, String ifMatch) {
        EntityKey key = write.key();
        return to.part(method, nameOf(key.table()), key.partition(), key.row(), ifMatch, json(write));
    }

    private static String json(Write write) {
        return write.kind() == OperationKind.DELETE
                ? ""
                : Bodies.of(write.key().partition(), write.key().row(), write.properties());
    }

    private static String anyOr(Write write) {
        return write.ifMatch().isEmpty() ? "*" : write.ifMatch();
    }
}
