package cleave.deploy.backup;

import cleave.client.Request;
import cleave.client.Requests;
import cleave.deploy.backup.EntityReader.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Neighbouring entities of one partition that go into one transaction, which inserts or replaces them. Confined to one thread. */
final class EntityGroup {
    private static final int ENTITIES_MAX = 100;
    private static final int CHARACTERS_MAX = 1 << 20;

    /** By RowKey. */
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private String partitionKey = "";
    private int characters;

    /** True if the entity may be added. */
    boolean takes(EntityLines.Keys keys, Entry entry) {
        return entries.isEmpty()
                || (entries.size() < ENTITIES_MAX
                        && characters + entry.json().length() <= CHARACTERS_MAX
                        && keys.partitionKey().equals(partitionKey)
                        && !entries.containsKey(keys.rowKey()));
    }

    void add(EntityLines.Keys keys, Entry entry) {
        partitionKey = keys.partitionKey();
        entries.put(keys.rowKey(), entry);
        characters += entry.json().length();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** In the order in which they were added. */
    List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /** The request that writes all of them, or none. */
    Request request(Requests to, String table) {
        List<Request> parts = new ArrayList<>(entries.size());
        entries.forEach((rowKey, entity) -> parts.add(to.part("PUT", table, partitionKey, rowKey, "", entity.json())));
        return to.transaction(parts);
    }
}
