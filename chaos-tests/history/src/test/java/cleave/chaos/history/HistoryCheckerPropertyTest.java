package cleave.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.history.Linearization.Linearizability;
import cleave.chaos.history.Partition.Join;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** Histories of a store that is right by construction are accepted, whatever their clients' timing; and broken ones are not. */
class HistoryCheckerPropertyTest {
    private static final int OPERATIONS = 150;
    private static final int TINY = 6;
    private static final CheckResult RIGHT = new CheckResult(List.of(), List.of());

    @Property(tries = 200)
    void whatACorrectStoreAnswersIsAccepted(@ForAll long seed, @ForAll @IntRange(min = 0, max = 6) int unknownPercent) {
        History history = new CorrectStore(new Random(seed), unknownPercent, false).run(OPERATIONS);

        assertThat(HistoryChecker.check(history)).isEqualTo(RIGHT);
    }

    /** Values and ETags of the tiny store are few, so that many of its histories are nearly right. */
    @Property(tries = 4_000)
    void theSearchAgreesWithTryingEveryOrder(@ForAll long seed) {
        Random random = new Random(seed);
        List<Operation> operations =
                new ArrayList<>(new CorrectStore(random, 25, true).run(TINY).operations());
        if (random.nextInt(4) > 0) {
            int one = random.nextInt(operations.size());
            int other = random.nextInt(operations.size());
            Operation moved = operations.get(one);
            operations.set(one, at(moved, operations.get(other).call()));
        }
        History history = new History();
        operations.forEach(history::add);

        for (Partition partition : Partitions.of(history)) {
            for (Join join : Join.values()) {
                for (Group group : partition.groups(join)) {
                    boolean explained = group.search(100_000).result() == Linearizability.LINEARIZABLE;
                    assertThat(explained)
                            .as(history.operations().toString())
                            .isEqualTo(new EveryOrder(group).explains());
                    assertThat(explained || new EveryOrder(group.with(Reduction.of(group))).explains())
                            .as("a reduction of %s", history.operations())
                            .isEqualTo(explained);
                }
            }
        }
    }

    private static Operation at(Operation operation, Call call) {
        if (operation instanceof Get get) {
            return new Get(call, get.key(), get.result());
        }
        if (operation instanceof Page page) {
            return new Page(call, page.scan(), page.from(), page.until(), page.rows());
        }
        Change change = (Change) operation;
        return new Change(call, change.writes(), change.outcome(), change.refused(), change.etags(), change.text());
    }

    /** Right up to here, with unknown outcomes, the history ends in what is wrong for sure. */
    @Property(tries = 900)
    void answersThatAreSurelyWrongAreNotAccepted(@ForAll long seed, @ForAll Wrong wrong) {
        Random random = new Random(seed);
        History history = new CorrectStore(random, 2, false).run(OPERATIONS);
        long end = history.operations().stream()
                .mapToLong(operation -> operation.call().returned())
                .max()
                .orElseThrow();
        wrong.mutation.apply(Mutations.quietEnd(end)).forEach(history::add);
        CheckResult result = HistoryChecker.check(history);

        assertThat(result.undecided()).isEmpty();
        assertThat(result.violations()).as("%s", wrong).isNotEmpty();
        assertThat(result.violations().get(0).story()).hasSizeLessThan(25);

        History right = new CorrectStore(new Random(seed), 2, false).run(OPERATIONS);
        Mutations.quietEnd(end).forEach(right::add);
        assertThat(HistoryChecker.check(right)).isEqualTo(RIGHT);
    }

    private enum Wrong {
        LOST_WRITE(Mutations::lostWrite),
        STALE_READ(Mutations::staleRead),
        TORN_TRANSACTION(Mutations::tornTransaction),
        REPEATED_ETAG(Mutations::repeatedEtag),
        RESURRECTED_ENTITY(Mutations::resurrection),
        WRONG_REFUSAL(Mutations::wrongRefusal),
        PAGE_MISSES_A_KEY(Mutations::missingRow),
        PAGE_REPEATS_A_KEY(Mutations::repeatedRow),
        PAGE_OUT_OF_ORDER(Mutations::swappedRows);

        @SuppressWarnings("ImmutableEnumChecker") // A function without state.
        private final UnaryOperator<List<Operation>> mutation;

        Wrong(UnaryOperator<List<Operation>> mutation) {
            this.mutation = mutation;
        }
    }

    /** Makes a few operations wrong that were right, on entities that nothing else is done with. */
    private static final class Mutations {
        private static final EntityKey A = new EntityKey("t", "p", "x");
        private static final EntityKey B = new EntityKey("t", "p", "y");

        private static List<Operation> quietEnd(long end) {
            List<Write> both = List.of(
                    new Write(A, OperationKind.INSERT, Map.of("A", "first"), ""),
                    new Write(B, OperationKind.INSERT_OR_REPLACE, Map.of("A", "first"), ""));
            List<Write> again = List.of(
                    new Write(A, OperationKind.REPLACE, Map.of("A", "second"), "m1"),
                    new Write(B, OperationKind.INSERT_OR_REPLACE, Map.of("A", "second"), ""));
            Result second = Result.read("m3", Map.of("A", "second"));
            return List.of(
                    Change.done(new Call(1, end + 1, end + 2), both, List.of("m1", "m2")),
                    Change.done(new Call(2, end + 3, end + 4), again, List.of("m3", "m4")),
                    new Get(new Call(1, end + 5, end + 6), A, second),
                    new Page(
                            new Call(3, end + 7, end + 8),
                            -1,
                            A,
                            B.next(),
                            List.of(
                                    new Page.Row(A, second),
                                    new Page.Row(B, Result.read("m4", Map.of("A", "second"))))),
                    Change.refused(new Call(2, end + 9, end + 10), both, 0, Outcome.EXISTS),
                    Change.of(
                            new Call(2, end + 11, end + 12),
                            new Write(A, OperationKind.DELETE, Map.of(), "m3"),
                            Result.written("")),
                    new Get(new Call(2, end + 13, end + 14), A, Result.of(Outcome.MISSING, "")));
        }

        private static List<Operation> with(List<Operation> operations, int index, Operation other) {
            List<Operation> mutated = new ArrayList<>(operations);
            mutated.set(index, other);
            return mutated;
        }

        private static List<Operation> lostWrite(List<Operation> right) {
            return with(right, 2, new Get(right.get(2).call(), A, Result.of(Outcome.MISSING, "")));
        }

        private static List<Operation> staleRead(List<Operation> right) {
            return with(right, 2, new Get(right.get(2).call(), A, Result.read("m1", Map.of("A", "first"))));
        }

        private static List<Operation> tornTransaction(List<Operation> right) {
            Page page = (Page) right.get(3);
            Call early = new Call(5, right.get(1).call().invoked(), page.call().returned());
            List<Page.Row> rows = List.of(page.rows().get(0), new Page.Row(B, Result.read("m2", Map.of("A", "first"))));
            return with(right, 3, new Page(early, page.scan(), page.from(), page.until(), rows));
        }

        private static List<Operation> repeatedEtag(List<Operation> right) {
            Change second = (Change) right.get(1);
            return with(right, 1, Change.done(second.call(), second.writes(), List.of("m3", "m2")));
        }

        private static List<Operation> resurrection(List<Operation> right) {
            return with(right, 6, new Get(right.get(6).call(), A, Result.read("m3", Map.of("A", "second"))));
        }

        private static List<Operation> wrongRefusal(List<Operation> right) {
            Change refused = (Change) right.get(4);
            List<Write> writes =
                    List.of(refused.writes().get(1), refused.writes().get(0));
            return with(right, 4, Change.refused(refused.call(), writes, 0, Outcome.MISSING));
        }

        private static List<Operation> missingRow(List<Operation> right) {
            return with(right, 3, rows(right, 0));
        }

        private static List<Operation> repeatedRow(List<Operation> right) {
            return with(right, 3, rows(right, 0, 1, 1));
        }

        private static List<Operation> swappedRows(List<Operation> right) {
            return with(right, 3, rows(right, 1, 0));
        }

        private static Page rows(List<Operation> right, int... indexes) {
            Page page = (Page) right.get(3);
            List<Page.Row> rows = new ArrayList<>();
            for (int index : indexes) {
                rows.add(page.rows().get(index));
            }
            return new Page(page.call(), page.scan(), page.from(), page.until(), rows);
        }
    }

    /** Tries every order of every choice of what may be left out. Confined to one test. */
    private static final class EveryOrder {
        private final List<Move> moves;
        private final EntityState[] states;

        EveryOrder(Group group) {
            moves = group.moves();
            states = new EntityState[group.entities().size()];
            Arrays.fill(states, EntityState.ABSENT);
        }

        boolean explains() {
            return explains(states, new boolean[moves.size()]);
        }

        private boolean explains(EntityState[] before, boolean[] placed) {
            boolean all = true;
            for (int i = 0; i < moves.size(); i++) {
                all &= placed[i] || !moves.get(i).mustHappen();
            }
            if (all) {
                return true;
            }
            for (int i = 0; i < moves.size(); i++) {
                if (!placed[i] && mayComeNow(moves.get(i), placed)) {
                    placed[i] = true;
                    EntityState[] after = after(before, moves.get(i));
                    boolean explained = (after != null && explains(after, placed))
                            || (!moves.get(i).mustHappen() && explains(before, placed));
                    placed[i] = false;
                    if (explained) {
                        return true;
                    }
                }
            }
            return false;
        }

        /** Unless another one had its answer before this was begun. */
        private boolean mayComeNow(Move move, boolean[] placed) {
            for (int i = 0; i < moves.size(); i++) {
                if (!placed[i] && moves.get(i).returned() < move.invoked()) {
                    return false;
                }
            }
            return true;
        }

        private static EntityState @Nullable [] after(EntityState[] before, Move move) {
            EntityState[] after = before.clone();
            for (int i = 0; i < move.keys().length; i++) {
                EntityState state = move.parts()[i].step(before[move.keys()[i]]);
                if (state == null) {
                    return null;
                }
                after[move.keys()[i]] = state;
            }
            return after;
        }
    }
}
