package cleave.chaos.load.run;

import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The states in which each entity may be at the end, by what clients were told. Thread-safe.
 *
 * <p>The state of an entity is what its last whole write (insert, replace, transaction, delete) left, changed by the last merge after that. A
 * write that ended before another began precedes it; any other order is possible. A write of unknown outcome takes effect at some time after it
 * was sent, or never. A state is accepted if, and only if, it is the outcome of a possible order:
 *
 * <ul>
 *   <li>The whole write did not end before an acknowledged whole write began.
 *   <li>If there is a merge, it did not end before any acknowledged write began, nor before this whole write began.
 *   <li>If there is none, the whole write did not end before an acknowledged merge began.
 * </ul>
 *
 * <p>Writes may be noted in any order. Answers to reads during the run are not checked: {@code cleave trial drill} does that, at rates at which all
 * answers can be kept.
 */
public final class Ledger {
    static final long ABSENT = -1;
    static final long NOT_MERGED = -1;
    private static final long NEVER = Long.MAX_VALUE;
    private static final int STATES_TOLD = 8;

    private final Map<EntityKey, Writes> entities = new ConcurrentHashMap<>();

    /** One write that may have been the last of its kind. */
    private record Candidate(long write, long invoked, long returned) {
        boolean isOver(long before) {
            return returned < before;
        }
    }

    /**
     * The writes of one entity. Immutable.
     *
     * @param wholes those that may have been the last whole write
     * @param merges those that may have been the last write
     * @param wholeBegan when the last acknowledged whole write began
     * @param began when the last acknowledged write began
     */
    private record Writes(List<Candidate> wholes, List<Candidate> merges, long wholeBegan, long began) {
        static final Writes NONE = of(ABSENT);

        static Writes of(long write) {
            return new Writes(List.of(new Candidate(write, 0, 0)), List.of(), 0, 0);
        }

        Writes with(Candidate candidate, boolean isMerge, boolean isAcknowledged) {
            long acknowledged = isAcknowledged ? candidate.invoked() : 0;
            long newWholeBegan = isMerge ? wholeBegan : Math.max(wholeBegan, acknowledged);
            long newBegan = Math.max(began, acknowledged);
            return new Writes(
                    kept(wholes, isMerge ? null : candidate, newWholeBegan),
                    kept(merges, isMerge ? candidate : null, newBegan),
                    newWholeBegan,
                    newBegan);
        }

        private static List<Candidate> kept(List<Candidate> known, @Nullable Candidate added, long since) {
            List<Candidate> kept = new ArrayList<>(known.size() + 1);
            known.stream().filter(each -> !each.isOver(since)).forEach(kept::add);
            if (added != null && !added.isOver(since)) {
                kept.add(added);
            }
            return List.copyOf(kept);
        }

        boolean permit(long whole, long merged) {
            return wholes.stream()
                    .filter(each -> each.write() == whole)
                    .anyMatch(below -> merged == NOT_MERGED
                            ? !below.isOver(began)
                            : merges.stream()
                                    .anyMatch(each -> each.write() == merged && !each.isOver(below.invoked())));
        }

        /** The permitted states, for people. */
        Stream<String> states() {
            return wholes.stream()
                    .flatMap(below -> Stream.concat(
                            below.isOver(began) ? Stream.empty() : Stream.of(text(below.write(), NOT_MERGED)),
                            merges.stream()
                                    .filter(each -> !each.isOver(below.invoked()))
                                    .map(each -> text(below.write(), each.write()))));
        }
    }

    /** An entity that was there before the run. */
    public void loaded(EntityKey key, long write) {
        entities.put(key, Writes.of(write));
    }

    /**
     * A write whose client was told that it took effect.
     *
     * @param invoked when it was sent, as nanoseconds from the beginning of the run; at least 1
     * @param returned when its client had the answer
     */
    void acknowledged(Operation operation, long invoked, long returned) {
        note(operation, invoked, returned, true);
    }

    /** A write that may take effect at any time after it was sent, or never. */
    void unknown(Operation operation, long invoked) {
        note(operation, invoked, NEVER, false);
    }

    private void note(Operation operation, long invoked, long returned, boolean isAcknowledged) {
        long write = operation.firstWrite();
        for (EntityKey key : operation.keys()) {
            Action action = operation.action();
            Candidate candidate = new Candidate(action == Action.DELETE ? ABSENT : write, invoked, returned);
            boolean isMerge = action == Action.MERGE || action == Action.READ_MODIFY_WRITE;
            entities.compute(
                    key,
                    (same, known) ->
                            Objects.requireNonNullElse(known, Writes.NONE).with(candidate, isMerge, isAcknowledged));
            write++;
        }
    }

    /**
     * Why an entity cannot be as it was read; null if it can.
     *
     * @param whole number of the whole write that was read, {@link #ABSENT} if there is no entity
     * @param merged number of the merge that was read, {@link #NOT_MERGED} if there is none
     */
    @Nullable
    String problem(EntityKey key, long whole, long merged) {
        Writes writes = entities.getOrDefault(key, Writes.NONE);
        if (writes.permit(whole, merged)) {
            return null;
        }
        String found = whole == ABSENT ? "lost: it" : "wrong: it is " + text(whole, merged) + ", but";
        List<String> states = writes.states().distinct().limit(STATES_TOLD + 1L).toList();
        return found + " must be " + String.join(" or ", states.subList(0, Math.min(STATES_TOLD, states.size())))
                + (states.size() > STATES_TOLD ? " or as another write left it" : "");
    }

    private static String text(long whole, long merged) {
        return (whole == ABSENT ? "absent" : "written by " + whole)
                + (merged == NOT_MERGED ? "" : " and merged by " + merged);
    }

    /** All entities that were loaded or written, in order. */
    List<EntityKey> keys() {
        Map<String, EntityKey> sorted = new TreeMap<>();
        entities.keySet().forEach(key -> sorted.put(key.partition() + '\0' + key.row(), key));
        return List.copyOf(sorted.values());
    }
}
