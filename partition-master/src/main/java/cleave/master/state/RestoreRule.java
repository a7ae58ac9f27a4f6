package cleave.master.state;

import cleave.master.state.MasterCommand.Restore;
import cleave.master.state.MasterCommand.Restored;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * Judges a restore and applies it. Stateless.
 *
 * <p>Invariant I3: the sources are at the versions at which their logs were sealed and found empty, so nothing was acknowledged that
 * the new rows lack. Invariant I9: the files of the backup were made under an epoch of a source, which has lasted until now; so no
 * sweep has judged them garbage.
 */
final class RestoreRule {
    private RestoreRule() {}

    static Step apply(MasterState state, Restore command, long index) {
        if (state.nextTable() != 1 || !state.drops().isEmpty()) {
            return Step.refused(
                    state,
                    index,
                    ErrorCode.CONDITION_FAILED,
                    "the cluster is not empty: it has had tables; restore into a cluster that was just founded");
        }
        List<Row> rows = List.copyOf(state.rows().all());
        if (!areCurrent(rows, command.sources())) {
            return state.stale(rows, index, "built on versions that are gone: " + command.sources());
        }
        String problem = problem(command, rows);
        if (problem != null) {
            return Step.refused(state, index, ErrorCode.INVALID, problem);
        }
        List<Row> come = new ArrayList<>();
        for (Restored each : command.ranges()) {
            come.add(new Row(Row.id(index, come.size()), each.range(), null, each.manifest(), index, index));
        }
        TreePMap<Long, Drop> drops = TreePMap.empty();
        for (Drop drop : command.drops()) {
            drops = drops.plus(drop.table(), drop);
        }
        return state.restored(come, command.nextTable(), drops, index);
    }

    /** All rows are named, at their versions. */
    private static boolean areCurrent(List<Row> rows, List<SourceRow> sources) {
        if (rows.size() != sources.size()) {
            return false;
        }
        for (int i = 0; i < rows.size(); i++) {
            SourceRow source = sources.get(i);
            if (source.range() != rows.get(i).id()
                    || source.version() != rows.get(i).version()) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String problem(Restore command, List<Row> rows) {
        if (command.ranges().isEmpty() || command.ranges().size() > Row.ORDINALS) {
            return "a restore has from 1 to " + Row.ORDINALS + " ranges, not "
                    + command.ranges().size();
        }
        @Nullable Key next = Key.MIN;
        for (Restored each : command.ranges()) {
            String bounds = Legal.boundsProblem(each.range());
            if (bounds != null) {
                return bounds;
            }
            if (!Objects.equals(each.range().start(), next)) {
                return "the ranges must tile the key space: " + each.range() + " does not begin at " + next;
            }
            if (!Legal.isText(each.manifest()) || !isOfEpochOf(rows, each.manifest())) {
                return "range " + each.range() + " has no manifest that was made under the epoch of a source: '"
                        + each.manifest() + "'";
            }
            next = each.range().end();
        }
        if (next != null) {
            return "the ranges must tile the key space, and end at " + next;
        }
        return tablesProblem(command);
    }

    private static boolean isOfEpochOf(List<Row> rows, String manifest) {
        return rows.stream()
                .anyMatch(row -> manifest.startsWith("ranges/" + Row.idText(row.id()) + "/" + row.epoch() + "-"));
    }

    private static @Nullable String tablesProblem(Restore command) {
        if (command.nextTable() < 1) {
            return "table ids begin at 1, not " + command.nextTable();
        }
        for (Drop drop : command.drops()) {
            if (drop.table() < 1
                    || drop.table() >= command.nextTable()
                    || !Legal.isText(drop.account())
                    || !Legal.isText(drop.name())) {
                return "no drop of a table: " + drop;
            }
        }
        return null;
    }
}
