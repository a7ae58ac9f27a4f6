package cleave.chaos.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches for a linearization of the operations on a few entities: an order in which each operation takes effect at
 * one moment between its invocation and its answer; an operation of unknown outcome may take effect at any later moment
 * or never. Confined to its caller.
 *
 * <p>The search is that of Wing and Gong with Lowe's memoization: depth first, and no (set of operations, state) is
 * tried twice. Three rules keep it short. Operations are placed as late as possible: one is placed only when the
 * <em>next</em> operation to be answered (which must precede everything invoked later) needs it. A read that is true
 * now is placed now, because it changes nothing. Of the operations that could come first, only those are tried on which
 * the next answer depends through shared entities (a stubborn set in model checking); all others can equally come
 * later.
 */
final class Linearization {
    private final Move[] timed;
    private final Move[] open;
    private final int entities;
    private final int configurationsMax;
    private final Configurations configurations = new Configurations();
    private final BitSet done;
    private final BitSet leftOut;
    private final Deque<Point> path = new ArrayDeque<>();
    private long doneHash;
    private int left;
    private List<Move> longest = List.of();
    private List<Move> stuck = List.of();
    private int[] atLongest;

    /** The result of a search. */
    enum Linearizability {
        LINEARIZABLE,
        NOT_LINEARIZABLE,
        /** The search was given up. */
        UNDECIDED
    }

    /** A point of the search. */
    private static final class Point {
        private final int[] states;
        /** The moves placed to get here: one chosen, and the reads that it made true. */
        private final int[] placed;

        private final boolean skipped;
        private int[] candidates = {};
        private int next;

        Point(int[] states, int[] placed, boolean skipped) {
            this.states = states;
            this.placed = placed;
            this.skipped = skipped;
        }
    }

    Linearization(List<Move> moves, int entities, int configurationsMax) {
        Comparator<Move> byInvocation = Comparator.comparingLong(Move::invoked);
        this.timed = moves.stream()
                .filter(move -> move.returned() < Long.MAX_VALUE)
                .sorted(byInvocation)
                .toArray(Move[]::new);
        this.open = moves.stream()
                .filter(move -> move.returned() == Long.MAX_VALUE)
                .sorted(byInvocation)
                .toArray(Move[]::new);
        this.entities = entities;
        this.configurationsMax = configurationsMax;
        this.done = new BitSet(moves.size());
        this.leftOut = new BitSet(moves.size());
        this.atLongest = new int[entities];
        for (Move move : timed) {
            left += move.mustHappen() ? 1 : 0;
        }
    }

    Linearizability result() {
        int absent = configurations.number(EntityState.ABSENT);
        int[] nothing = new int[entities];
        Arrays.fill(nothing, absent);
        atLongest = nothing;
        enter(nothing, -1, false);
        while (!path.isEmpty()) {
            if (left == 0) {
                return Linearizability.LINEARIZABLE;
            }
            if (configurations.size() > configurationsMax) {
                return Linearizability.UNDECIDED;
            }
            Point here = path.element();
            if (here.next == here.candidates.length) {
                leave();
            } else {
                follow(here, here.candidates[here.next++]);
            }
        }
        return Linearizability.NOT_LINEARIZABLE;
    }

    /** A candidate is the number of a move to place, or, negative, the complement of one to leave out. */
    private void follow(Point here, int candidate) {
        if (candidate < 0) {
            enter(here.states, ~candidate, true);
        } else {
            int[] states = stepped(here.states, move(candidate));
            if (states == null) {
                throw new AssertionError("no candidate: " + move(candidate).operation());
            }
            enter(states, candidate, false);
        }
    }

    /** Places a move and all reads that are true then, and finds the next candidates. */
    private void enter(int[] states, int chosen, boolean skipped) {
        List<Integer> placed = new ArrayList<>();
        if (chosen >= 0) {
            place(chosen, placed);
        }
        while (placeReads(states, placed)) {
            // Any of them may have been the next to be answered.
        }
        Point point =
                new Point(states, placed.stream().mapToInt(Integer::intValue).toArray(), skipped);
        if (skipped) {
            leftOut.set(chosen);
        }
        path.push(point);
        if (!configurations.add(doneHash, states)) {
            leave();
        } else if (left > 0) {
            point.candidates = candidates(states);
            if (point.candidates.length == 0) {
                remember(states);
            }
        }
    }

    private void place(int number, List<Integer> placed) {
        flip(number);
        placed.add(number);
    }

    private void flip(int number) {
        done.flip(number);
        doneHash ^= Configurations.mixed(~number);
        if (move(number).mustHappen()) {
            left += done.get(number) ? -1 : 1;
        }
    }

    private void leave() {
        Point point = path.pop();
        for (int number : point.placed) {
            flip(number);
        }
        if (point.skipped) {
            leftOut.clear(point.placed[0]);
        }
    }

    private boolean placeReads(int[] states, List<Integer> placed) {
        long limit = firstAnswer();
        boolean any = false;
        for (int i = done.nextClearBit(0); i < timed.length && timed[i].invoked() <= limit; i++) {
            if (!done.get(i) && !timed[i].mayWrite() && stepped(states, timed[i]) == states) {
                place(i, placed);
                any = true;
            }
        }
        return any;
    }

    private Move move(int number) {
        return number < timed.length ? timed[number] : open[number - timed.length];
    }

    /** When the next unplaced move is answered. */
    private long firstAnswer() {
        int next = nextAnswered();
        return next < 0 ? Long.MAX_VALUE : timed[next].returned();
    }

    private int nextAnswered() {
        long first = Long.MAX_VALUE;
        int next = -1;
        for (int i = done.nextClearBit(0); i < timed.length && timed[i].invoked() <= first; i++) {
            if (!done.get(i) && timed[i].returned() < first) {
                first = timed[i].returned();
                next = i;
            }
        }
        return next;
    }

    /** The states after a move; the same array if it changes none, null if it cannot happen now. */
    private int @Nullable [] stepped(int[] states, Move move) {
        int[] after = states;
        for (int i = 0; i < move.keys().length; i++) {
            int key = move.keys()[i];
            EntityState before = configurations.state(states[key]);
            EntityState state = move.parts()[i].step(before);
            if (state == null) {
                return null;
            }
            if (!state.equals(before)) {
                after = after == states ? states.clone() : after;
                after[key] = configurations.number(state);
            }
        }
        return after;
    }

    /** The entity for which a move cannot happen now. */
    private int blockedKey(int[] states, Move move) {
        for (int i = 0; i < move.keys().length; i++) {
            if (move.parts()[i].step(configurations.state(states[move.keys()[i]])) == null) {
                return move.keys()[i];
            }
        }
        throw new AssertionError("nothing is in the way of " + move.operation());
    }

    /** The moves to try from here, the likeliest first. */
    private int[] candidates(int[] states) {
        int next = nextAnswered();
        Move awaited = timed[next];
        List<Integer> pending = pending(awaited.returned());
        BitSet stubborn = stubborn(states, next, pending);
        int blocked = stepped(states, awaited) == null ? blockedKey(states, awaited) : -1;
        List<Integer> helpful = new ArrayList<>();
        List<Integer> others = new ArrayList<>();
        for (int number : pending) {
            int[] after = stubborn.get(number) ? stepped(states, move(number)) : null;
            if (after == null || (after == states && !move(number).mustHappen())) {
                continue;
            }
            boolean helps = number == next || (blocked >= 0 && removes(after, awaited, blocked));
            (helps ? helpful : others).add(number);
        }
        if (!awaited.mustHappen()) {
            others.add(0, ~next);
        }
        helpful.addAll(others);
        return helpful.stream().mapToInt(Integer::intValue).toArray();
    }

    private boolean removes(int[] after, Move awaited, int blocked) {
        for (int i = 0; i < awaited.keys().length; i++) {
            if (awaited.keys()[i] == blocked) {
                return awaited.parts()[i].step(configurations.state(after[blocked])) != null;
            }
        }
        return false;
    }

    /** Unplaced moves that were invoked before the next answer, answered ones first. */
    private List<Integer> pending(long limit) {
        List<Integer> pending = new ArrayList<>();
        for (int i = done.nextClearBit(0); i < timed.length && timed[i].invoked() <= limit; i++) {
            if (!done.get(i)) {
                pending.add(i);
            }
        }
        for (int i = 0; i < open.length && open[i].invoked() <= limit; i++) {
            if (!done.get(timed.length + i)) {
                pending.add(timed.length + i);
            }
        }
        return pending;
    }

    /**
     * A set of pending moves that includes the awaited one: every order that continues from here can be rearranged so
     * that one of them comes first, because nothing before it affects it. With a move that is possible, the set
     * contains all that depend on it; with one that is not, all that could make it possible.
     */
    private BitSet stubborn(int[] states, int awaited, List<Integer> pending) {
        BitSet stubborn = new BitSet();
        Deque<Integer> open = new ArrayDeque<>(List.of(awaited));
        stubborn.set(awaited);
        while (!open.isEmpty()) {
            Move move = move(open.pop());
            boolean isPossible = stepped(states, move) != null;
            int blocked = isPossible ? -1 : blockedKey(states, move);
            for (int number : pending) {
                if (!stubborn.get(number)
                        && (isPossible ? depend(states, move, move(number)) : changes(states, move(number), blocked))) {
                    stubborn.set(number);
                    open.push(number);
                }
            }
        }
        return stubborn;
    }

    private boolean depend(int[] states, Move one, Move other) {
        int i = 0;
        int j = 0;
        while (i < one.keys().length && j < other.keys().length) {
            int difference = one.keys()[i] - other.keys()[j];
            if (difference == 0
                    && (changes(states, one.parts()[i], one.keys()[i])
                            || changes(states, other.parts()[j], other.keys()[j]))) {
                return true;
            }
            i += difference <= 0 ? 1 : 0;
            j += difference >= 0 ? 1 : 0;
        }
        return false;
    }

    private boolean changes(int[] states, Move move, int key) {
        for (int i = 0; i < move.keys().length; i++) {
            if (move.keys()[i] == key) {
                return changes(states, move.parts()[i], key);
            }
        }
        return false;
    }

    /** A read changes the known state of an entity if it shows the ETag of a write of unknown outcome. */
    private boolean changes(int[] states, Part part, int key) {
        return part instanceof Part.Written
                || (part instanceof Part.Seen seen
                        && !seen.isOfKnownWrite()
                        && seen.result().outcome() == Outcome.DONE
                        && mayBeUnbound(states, key));
    }

    private boolean mayBeUnbound(int[] states, int key) {
        return open.length > 0 || configurations.state(states[key]).isUnbound();
    }

    /** Leaves a dead end. The dead end after the most moves is reported with a violation. */
    private void remember(int[] states) {
        List<Move> order = new ArrayList<>();
        path.descendingIterator().forEachRemaining(point -> {
            for (int number : point.placed) {
                if (!leftOut.get(number)) {
                    order.add(move(number));
                }
            }
        });
        if (order.size() >= longest.size()) {
            longest = order;
            atLongest = states;
            stuck = List.of(timed[nextAnswered()]);
        }
    }

    /** The longest consistent order. */
    List<Move> longest() {
        return longest;
    }

    /** The moves of which none can follow it. */
    List<Move> stuck() {
        return stuck;
    }

    /** An entity after it. */
    EntityState atLongest(int entity) {
        return configurations.state(atLongest[entity]);
    }
}
