package cleave.board.sight;

import cleave.board.frame.Told.Note;
import cleave.board.sight.Ranges.Range;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.HotPartition;
import cleave.wire.RangeLoad;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with how a cluster is used, as sentences: of the hottest ranges those that no split can help, and servers whose stores do not keep up.
 * Confined to its owner.
 */
final class Diagnoses {
    private static final int NOTES_MAX = 10;
    /** Below this many entities a second nothing hurts. */
    private static final double LOAD_MIN = 200;

    private static final double INSERTS_MIN = 50;
    /** Of the inserts, the part beyond one end. */
    private static final double END_PART = 0.8;

    private static final double PARTITION_PART = 0.5;
    private static final int SAMPLES_MIN = 50;
    private static final double SCANNED_MIN = 5000;
    /** Entities that scans looked at for each one that was read or returned. */
    private static final double SCANNED_PER_ENTITY = 10;

    /** That many partitions, each hot after the one before it, make a march. */
    private static final int MARCH = 3;

    private static final long MARCH_MILLIS = 3 * 3600_000L;

    private final Map<Long, Deque<Hot>> hotOfTables = new TreeMap<>(Long::compareUnsigned);

    /** A partition that was the hottest of its table. */
    private record Hot(Key partition, long since) {}

    /**
     * @param hottest ranges, the hottest first
     * @param stalled stores that take no writes, by server
     */
    List<Note> see(List<Range> hottest, TableNames tables, Names names, Map<String, Long> stalled, long now) {
        List<Note> notes = new ArrayList<>();
        for (Range range : hottest) {
            Note note = of(range, tables, names, now);
            if (note != null && notes.size() < NOTES_MAX) {
                notes.add(note);
            }
        }
        stalled.forEach((server, stores) -> notes.add(new Note(
                "store-stalls",
                0,
                String.format(
                        Locale.ROOT,
                        "%s of server %s %s no writes until %s flushed or compacted: its disk or its processor does not keep up.",
                        stores == 1 ? "One store" : stores + " stores",
                        server,
                        stores == 1 ? "takes" : "take",
                        stores == 1 ? "it has" : "they have"),
                "",
                "cleaveappendsslow")));
        hotOfTables.values().removeIf(hot -> now - hot.getLast().since() > MARCH_MILLIS);
        return notes;
    }

    private @Nullable Note of(Range range, TableNames tables, Names names, long now) {
        RangeLoad load = range.load();
        boolean isMarching = isMarching(range, now);
        double ends = Math.max(load.getInsertedBehind(), load.getInsertedBefore());
        if (load.getScanned() >= SCANNED_MIN && load.getScanned() >= SCANNED_PER_ENTITY * returned(load)) {
            return note(
                    "scans",
                    range,
                    String.format(
                            Locale.ROOT,
                            "Scans look at %.0f entities/s of %s and use %.0f/s of them: a filter has no PartitionKey, or no RowKey.",
                            load.getScanned(),
                            name(range, tables),
                            returned(load)),
                    "query-classes",
                    "cleavelatencyhigh");
        }
        if (isMarching) {
            return note(
                    "marching",
                    range,
                    String.format(
                            Locale.ROOT,
                            "The hot partition of %s is another one again, behind the last: its PartitionKey follows the clock,"
                                    + " and at any time one server takes all writes.",
                            name(range, tables)),
                    "append-anti-pattern",
                    "cleaveserverbusy");
        }
        if (hasHotPartition(load)) {
            Key first = Key.fromWire(load.getHottest().getFirst());
            return note(
                    "one-partition",
                    range,
                    String.format(
                            Locale.ROOT,
                            "One partition, %s, has %.0f %% of the %.0f entities/s of %s: a partition is never divided, so spread"
                                    + " its entities over several PartitionKeys.",
                            names.isHashed() ? names.cut(first).key() : "'" + first.partitionKey() + "'",
                            load.getHottest().getPart() * 100,
                            load.getEntitiesPerSecond(),
                            name(range, tables)),
                    "hot-partition",
                    "cleaveserverbusy");
        }
        if (load.getWritten() >= INSERTS_MIN && ends >= END_PART) {
            boolean isBehind = load.getInsertedBehind() >= load.getInsertedBefore();
            return note(
                    "append-end",
                    range,
                    String.format(
                            Locale.ROOT,
                            "%.0f %% of the inserts into %s go %s: wherever it is split, one part takes them all. Begin the"
                                    + " PartitionKey with a hash or a bucket.",
                            ends * 100,
                            name(range, tables),
                            isBehind ? "behind its last key" : "before its first key"),
                    "append-and-prepend",
                    "cleaveserverbusy");
        }
        return null;
    }

    /** Entities that were read or that scans returned. */
    private static double returned(RangeLoad load) {
        return Math.max(0, load.getEntitiesPerSecond() - load.getWritten());
    }

    private static boolean hasHotPartition(RangeLoad load) {
        HotPartition hottest = load.getHottest();
        return load.getEntitiesPerSecond() >= LOAD_MIN
                && hottest.getPart() >= PARTITION_PART
                && hottest.getSamples() >= SAMPLES_MIN;
    }

    /** Whether the last hot partitions that were written to in this range's table lie each behind the one before. */
    private boolean isMarching(Range range, long now) {
        RangeLoad load = range.load();
        if (!hasHotPartition(load) || load.getWritten() < load.getEntitiesPerSecond() / 2) {
            return false;
        }
        Key partition = Key.fromWire(load.getHottest().getFirst());
        Deque<Hot> before = hotOfTables.computeIfAbsent(partition.table(), none -> new ArrayDeque<>());
        if (before.isEmpty() || partition.compareTo(before.getLast().partition()) > 0) {
            before.addLast(new Hot(partition, now));
        } else if (!partition.equals(before.getLast().partition())) {
            before.clear();
            before.addLast(new Hot(partition, now));
        }
        if (before.size() > MARCH) {
            before.removeFirst();
        }
        return before.size() == MARCH && now - before.getFirst().since() <= MARCH_MILLIS;
    }

    private static Note note(String kind, Range range, String text, String lab, String runbook) {
        return new Note(kind, range.id(), text, lab, runbook);
    }

    private static String name(Range range, TableNames tables) {
        return "range " + Row.idText(range.id()) + " (" + tables.name(Sight.tableOf(range)) + ")";
    }
}
