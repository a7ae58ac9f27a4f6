package cleave.chaos.operation;

import java.util.Map;
import java.util.StringJoiner;

/** JSON of entities whose keys and values need no escaping. Pure. */
public final class Bodies {
    private Bodies() {}

    public static String of(String partitionKey, String rowKey, Map<String, String> properties) {
        StringJoiner json = new StringJoiner(",", "{", "}");
        json.add(member("PartitionKey", partitionKey)).add(member("RowKey", rowKey));
        properties.forEach((name, value) -> json.add(member(name, value)));
        return json.toString();
    }

    private static String member(String name, String value) {
        return "\"" + name + "\":\"" + value + "\"";
    }
}
