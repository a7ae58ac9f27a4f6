package cleave.board.sight;

import cleave.board.frame.Axis.Table;
import cleave.wire.RangeTable;
import cleave.wire.StatusReply;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The names of tables, as far as the leader has told them. It tells them with some answers only. Confined to its owner. */
final class TableNames {
    private static final String SYSTEM = "system";

    private final TreeMap<Long, Table> known = new TreeMap<>(Long::compareUnsigned);
    /** Tables of which a range may hold keys, by its id. */
    private final TreeMap<Long, SortedSet<Long>> ofRanges = new TreeMap<>();

    void learn(StatusReply status) {
        boolean isTold = status.getStatesList().stream().anyMatch(state -> state.hasFirstTable());
        if (!isTold) {
            return;
        }
        known.clear();
        ofRanges.clear();
        for (var state : status.getStatesList()) {
            SortedSet<Long> tables = new TreeSet<>(Long::compareUnsigned);
            if (state.hasFirstTable()) {
                learn(state.getFirstTable(), tables);
            }
            if (state.hasLastTable()) {
                learn(state.getLastTable(), tables);
            }
            ofRanges.put(state.getRange(), tables);
        }
    }

    private void learn(RangeTable table, SortedSet<Long> tables) {
        tables.add(table.getId());
        if (table.getName().isEmpty() && table.getState().isEmpty()) {
            return; // The leader does not know it yet.
        }
        known.put(table.getId(), new Table(table.getId(), name(table), table.getState()));
    }

    private static String name(RangeTable table) {
        if (table.getState().equals(SYSTEM)) {
            return "the registry of tables";
        }
        return table.getName().isEmpty() ? unnamed(table.getId()) : table.getAccount() + "/" + table.getName();
    }

    private static String unnamed(long id) {
        return "table " + Long.toUnsignedString(id);
    }

    /** The tables that a range is known to begin and end with. */
    List<Long> ofRange(long id) {
        SortedSet<Long> tables = ofRanges.get(id);
        return tables == null ? List.of() : List.copyOf(tables);
    }

    String name(long id) {
        Table table = known.get(id);
        return table == null ? unnamed(id) : table.name();
    }

    /** Whether the leader has told its name. */
    boolean isKnown(long id) {
        return known.containsKey(id);
    }

    /** These tables, in the order of their ids. */
    List<Table> tables(SortedSet<Long> ids) {
        List<Table> tables = new ArrayList<>();
        for (long id : ids) {
            Table table = known.get(id);
            tables.add(table == null ? new Table(id, unnamed(id), "") : table);
        }
        return tables;
    }

    /** Those whose names are known. */
    SortedSet<Long> ids() {
        SortedSet<Long> ids = new TreeSet<>(Long::compareUnsigned);
        ids.addAll(known.keySet());
        return ids;
    }
}
