package cleave.chaos.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the ledger with all orders of a few writes. */
class LedgerPropertyTest {
    private static final EntityKey KEY = new EntityKey("p", "r");
    private static final int HISTORIES = 4000;
    private static final int WRITES_MAX = 5;

    /** A number of a whole write, and of a merge. */
    private record State(long whole, long merged) {
        State after(Write write) {
            return write.action == Action.MERGE
                    ? new State(whole, write.number)
                    : new State(write.action == Action.DELETE ? Ledger.ABSENT : write.number, Ledger.NOT_MERGED);
        }
    }

    private record Write(Action action, long number, long invoked, long returned, boolean isAcknowledged) {
        boolean precedes(Write other) {
            return isAcknowledged && returned < other.invoked;
        }
    }

    private static List<Write> writes(Random random) {
        List<Write> writes = new ArrayList<>();
        int count = 1 + random.nextInt(WRITES_MAX);
        for (int i = 0; i < count; i++) {
            long invoked = 1L + random.nextInt(20);
            Action[] actions = {Action.REPLACE, Action.MERGE, Action.DELETE};
            Action action = actions[random.nextInt(actions.length)];
            long number = action == Action.DELETE ? 0 : i + 1L;
            writes.add(new Write(action, number, invoked, invoked + random.nextInt(10), random.nextInt(4) > 0));
        }
        return writes;
    }

    /** Adds the states after all orders of what is left that begin in this state. */
    private static void collect(State state, List<Write> left, Set<State> outcomes) {
        if (left.stream().noneMatch(Write::isAcknowledged)) {
            outcomes.add(state);
        }
        for (Write next : left) {
            List<Write> rest = new ArrayList<>(left);
            rest.remove(next);
            if (rest.stream().noneMatch(other -> other.precedes(next))) {
                collect(state.after(next), rest, outcomes);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void exactlyTheOutcomesOfPossibleOrdersAreAcceptedInWhateverOrderWritesAreNoted(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < HISTORIES; i++) {
            List<Write> writes = writes(random);
            Set<State> outcomes = new HashSet<>();
            collect(new State(Ledger.ABSENT, Ledger.NOT_MERGED), writes, outcomes);
            Ledger ledger = new Ledger();
            Collections.shuffle(writes, random);
            writes.forEach(write -> note(ledger, write));

            for (long whole = Ledger.ABSENT; whole <= WRITES_MAX; whole++) {
                for (long merged = Ledger.NOT_MERGED; merged <= WRITES_MAX; merged++) {
                    State state = new State(whole, merged);
                    assertThat(ledger.problem(KEY, whole, merged) == null)
                            .as("%s after %s", state, writes)
                            .isEqualTo(outcomes.contains(state));
                }
            }
        }
    }

    private static void note(Ledger ledger, Write write) {
        Operation operation = new Operation(write.action, 0, List.of(KEY), write.number);
        if (write.isAcknowledged) {
            ledger.acknowledged(operation, write.invoked, write.returned);
        } else {
            ledger.unknown(operation, write.invoked);
        }
    }
}
