package cleave.deploy.backup;

import cleave.model.Damaged;
import cleave.model.KeyRange;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One range as of one moment. Immutable.
 *
 * @param manifest that its row named then; empty if the range had never been opened
 * @param ends where each log of the manifest ends
 */
record Part(long range, long epoch, KeyRange interval, Manifest manifest, SortedMap<String, Long> ends) {
    Part {
        ends = Collections.unmodifiableSortedMap(new TreeMap<>(ends));
        for (Manifest.Log log : manifest.logs()) {
            Long end = ends.get(log.path());
            if (end == null || end < log.offset()) {
                throw new Damaged("log " + log.path() + " counts from " + log.offset() + ", but ends at " + end);
            }
        }
    }

    static Manifest nothing(long range, long epoch) {
        return new Manifest(range, epoch, List.of(), List.of(), 0, DroppedTables.NONE);
    }

    /** All pieces of the range. */
    List<Piece> pieces() {
        List<Piece> pieces = new ArrayList<>();
        for (Manifest.Checkpoint checkpoint : manifest.checkpoints()) {
            for (Manifest.File file : checkpoint.files().stored()) {
                pieces.add(new Piece(file.path(), 0, file.length()));
            }
        }
        logBegins().forEach((path, from) -> {
            long end = ends.getOrDefault(path, from);
            if (end > from) {
                pieces.add(new Piece(path, from, end - from));
            }
        });
        return pieces;
    }

    /** The files that are in the manifest itself. */
    List<Manifest.InlineFile> inlineFiles() {
        return manifest.checkpoints().stream()
                .flatMap(checkpoint -> checkpoint.files().inline().stream())
                .toList();
    }

    /** The beginning of each log: the lowest position, if the manifest names it more than once. */
    SortedMap<String, Long> logBegins() {
        TreeMap<String, Long> begins = new TreeMap<>();
        manifest.logs().forEach(log -> begins.merge(log.path(), log.offset(), Math::min));
        return begins;
    }
}
