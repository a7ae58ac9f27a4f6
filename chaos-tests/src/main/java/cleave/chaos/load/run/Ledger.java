package cleave.chaos.load.run;

import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What each entity may be at the end, from what clients were told. Thread-safe.
 *
 * <p>Of an entity two things are known: its last whole write (insert, replace, transaction, delete) and its last merge after that. Each may be by
 * any write that did not end before an acknowledged one began; a write of unknown outcome may take effect at any later time. So exactly the final
 * states are accepted that writes in some order explain. Answers to reads during the run are not checked: {@code cleave drill} does that, at rates
 * at which all answers can be kept.
 */
public final class Ledger {
    static final long ABSENT = -1;
    static final long NOT_MERGED = -1;
    private static final long NEVER = Long.MAX_VALUE;

    private final Map<EntityKey, Expected> entities = new ConcurrentHashMap<>();

    /** One write that may be the last. */
    private record Candidate(long write, long returned) {}

    /** The candidates of one entity; changed and read under the lock of its map's bin alone, since it is replaced as a whole. */
    private record Expected(List<Candidate> whole, List<Candidate> merged) {
        static final Expected NOTHING =
                new Expected(List.of(new Candidate(ABSENT, 0)), List.of(new Candidate(NOT_MERGED, 0)));
    }

    /** An entity that was there before the run. */
    public void loaded(EntityKey key, long write) {
        entities.put(key, new Expected(List.of(new Candidate(write, 0)), Expected.NOTHING.merged()));
    }

    /** A write whose client was told that it took effect. */
    void acknowledged(Operation operation, long invoked, long returned) {
        note(operation, invoked, returned);
    }

    /** A write that may take effect at any time from now on. */
    void unknown(Operation operation) {
        note(operation, 0, NEVER);
    }

    private void note(Operation operation, long invoked, long returned) {
        long write = operation.firstWrite();
        for (EntityKey key : operation.keys()) {
            Action action = operation.action();
            Candidate candidate = new Candidate(action == Action.DELETE ? ABSENT : write, returned);
            boolean isMerge = action == Action.MERGE || action == Action.READ_MODIFY_WRITE;
            entities.compute(key, (same, before) -> after(before, candidate, isMerge, invoked));
            write++;
        }
    }

    private static Expected after(@Nullable Expected known, Candidate candidate, boolean isMerge, long invoked) {
        Expected before = known == null ? Expected.NOTHING : known;
        if (isMerge) {
            return new Expected(before.whole(), with(before.merged(), candidate, invoked));
        }
        return new Expected(
                with(before.whole(), candidate, invoked),
                with(before.merged(), new Candidate(NOT_MERGED, candidate.returned()), invoked));
    }

    private static List<Candidate> with(List<Candidate> before, Candidate candidate, long invoked) {
        List<Candidate> after = new ArrayList<>(before.size() + 1);
        for (Candidate each : before) {
            if (each.returned() >= invoked && !each.equals(candidate)) {
                after.add(each);
            }
        }
        after.add(candidate);
        return List.copyOf(after);
    }

    /**
     * Why an entity cannot be as it was read; null if it can.
     *
     * @param whole number of the whole write that was read, {@link #ABSENT} if there is no entity
     * @param merged number of the merge that was read, {@link #NOT_MERGED} if there is none
     */
    @Nullable
    String problem(EntityKey key, long whole, long merged) {
        Expected expected = entities.getOrDefault(key, Expected.NOTHING);
        if (!has(expected.whole(), whole)) {
            boolean isLost = whole == ABSENT;
            return isLost
                    ? "lost: it must be " + text("written by", expected.whole())
                    : "wrong: it is written by " + whole + ", but must be " + text("written by", expected.whole());
        }
        if (whole != ABSENT && !has(expected.merged(), merged)) {
            return "wrong: it is merged by " + (merged == NOT_MERGED ? "none" : merged) + ", but must be "
                    + text("merged by", expected.merged());
        }
        return null;
    }

    private static boolean has(List<Candidate> candidates, long write) {
        return candidates.stream().anyMatch(candidate -> candidate.write() == write);
    }

    private static String text(String by, List<Candidate> candidates) {
        return candidates.stream()
                .map(candidate -> candidate.write() < 0 ? "not " + by + " any" : by + " " + candidate.write())
                .distinct()
                .reduce((some, more) -> some + " or " + more)
                .orElse("");
    }

    /** All entities that were loaded or written, in order. */
    List<EntityKey> keys() {
        Map<String, EntityKey> sorted = new TreeMap<>();
        entities.keySet().forEach(key -> sorted.put(key.partition() + '\0' + key.row(), key));
        return List.copyOf(sorted.values());
    }
}
