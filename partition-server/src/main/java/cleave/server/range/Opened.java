package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeStore;
import java.util.List;
import java.util.Map;

/**
 * A range that was opened and committed: ready to be served. Immutable.
 *
 * @param row as it is after the commit, owned by this incarnation
 * @param manifest that the row names
 * @param store with all logs applied
 * @param log the new, empty commit log that the manifest names last
 * @param highestTimestamp no timestamp at or below it may be given
 * @param dropped table ids that are refused
 * @param replayable bytes of the logs that a takeover would replay
 * @param made files that this incarnation made for it
 * @param sealed the lengths of the logs before its own
 */
public record Opened(
        Row row,
        Manifest manifest,
        RangeStore store,
        DfsFile log,
        long highestTimestamp,
        cleave.model.manifest.DroppedTables dropped,
        long replayable,
        List<String> made,
        Map<String, Long> sealed) {}
