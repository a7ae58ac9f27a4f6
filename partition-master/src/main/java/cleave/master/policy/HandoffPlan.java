package cleave.master.policy;

import cleave.model.Incarnation;
import cleave.model.Invariant;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A planned handoff: which rows become which ranges, with which owners. Immutable. It is valid for the rows at their
 * versions. It does not know whether it may begin.
 *
 * @param sources adjacent, in key order
 * @param targets tile the union of the sources, in key order
 */
public record HandoffPlan(Kind kind, List<Row> sources, List<Target> targets) {
    /** Maximum number of handoffs in which a server takes part at a time. */
    public static final int PER_SERVER_MAX = 2;

    /** Its text names no more targets. */
    private static final int TARGETS_SHOWN = 8;

    /** Its purpose. */
    public enum Kind {
        SPLIT,
        MERGE,
        MOVE
    }

    /** A planned range. */
    public record Target(KeyRange range, Incarnation owner) {}

    public HandoffPlan {
        sources = List.copyOf(sources);
        targets = List.copyOf(targets);
        Invariant.check(!sources.isEmpty() && !targets.isEmpty(), "%s without sources or targets", kind);
        checkJoins(sources.stream().map(Row::range).toList());
        checkJoins(targets.stream().map(Target::range).toList());
        Invariant.check(
                union(targets.stream().map(Target::range).toList())
                        .equals(union(sources.stream().map(Row::range).toList())),
                "%s of %s covers %s",
                kind,
                sources,
                targets);
    }

    private static void checkJoins(List<KeyRange> ranges) {
        for (int i = 1; i < ranges.size(); i++) {
            Key start = ranges.get(i).start();
            Key before = ranges.get(i - 1).end();
            Invariant.check(Objects.equals(start, before), "%s are not adjacent", ranges);
        }
    }

    private static KeyRange union(List<KeyRange> ranges) {
        return new KeyRange(ranges.get(0).start(), ranges.get(ranges.size() - 1).end());
    }

    /**
     * @param at ascending, inside the range
     * @param owners of the targets, in key order: one more than keys
     */
    public static HandoffPlan split(Row row, List<Key> at, List<Incarnation> owners) {
        Invariant.check(owners.size() == at.size() + 1, "%s keys make no %s targets", at.size(), owners.size());
        List<Target> targets = new ArrayList<>();
        Key start = row.range().start();
        for (int i = 0; i < owners.size(); i++) {
            @Nullable Key end = i < at.size() ? at.get(i) : row.range().end();
            targets.add(new Target(new KeyRange(start, end), owners.get(i)));
            start = end == null ? start : end;
        }
        return new HandoffPlan(Kind.SPLIT, List.of(row), targets);
    }

    /** The right row begins where the left one ends. */
    public static HandoffPlan merge(Row left, Row right, Incarnation owner) {
        KeyRange whole = new KeyRange(left.range().start(), right.range().end());
        return new HandoffPlan(Kind.MERGE, List.of(left, right), List.of(new Target(whole, owner)));
    }

    public static HandoffPlan move(Row row, Incarnation to) {
        return new HandoffPlan(Kind.MOVE, List.of(row), List.of(new Target(row.range(), to)));
    }

    /** The owner of all sources; null if they have no common owner. */
    public @Nullable Incarnation owner() {
        Incarnation owner = sources.get(0).owner();
        for (Row source : sources) {
            if (!Objects.equals(owner, source.owner())) {
                return null;
            }
        }
        return owner;
    }

    /** True if this row is a source and has not changed since this was planned. */
    boolean begunWith(Row row) {
        return sources.stream().anyMatch(source -> source.id() == row.id() && source.epoch() == row.epoch());
    }

    /** All participants: the owners of sources and of targets, in order. */
    public Set<Incarnation> participants() {
        Set<Incarnation> all = new TreeSet<>();
        for (Row source : sources) {
            Incarnation owner = source.owner();
            if (owner != null) {
                all.add(owner);
            }
        }
        targets.forEach(target -> all.add(target.owner()));
        return all;
    }

    /** The keys that it covers. */
    public KeyRange interval() {
        return union(sources.stream().map(Row::range).toList());
    }

    @Override
    public String toString() {
        List<String> from = sources.stream().map(row -> Row.idText(row.id())).toList();
        List<String> to = targets.stream()
                .limit(TARGETS_SHOWN)
                .map(target -> target.range() + " at " + target.owner().server())
                .toList();
        String more = targets.size() <= TARGETS_SHOWN ? "" : " and " + (targets.size() - TARGETS_SHOWN) + " more";
        return kind + " of " + from + " to " + to + more;
    }
}
