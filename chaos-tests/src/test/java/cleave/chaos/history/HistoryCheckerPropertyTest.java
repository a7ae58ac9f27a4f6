package cleave.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Histories of a store that is right by construction are accepted, whatever their clients' timing; and broken ones are not. */
class HistoryCheckerPropertyTest {
    private static final int OPERATIONS = 120;
    private static final List<OperationKind> KINDS = List.of(OperationKind.values());

    @Property(tries = 200)
    void whatACorrectStoreAnswersIsAccepted(@ForAll long seed, @ForAll @IntRange(min = 0, max = 8) int unknownPercent) {
        History history = new CorrectStore(new Random(seed), unknownPercent).run();
        assertThat(HistoryChecker.check(history)).isEmpty();
    }

    @Property(tries = 100)
    void aReadChangedAfterwardsIsNotAccepted(@ForAll long seed) {
        Random random = new Random(seed);
        List<Operation> operations =
                new ArrayList<>(new CorrectStore(random, 0).run().operations());
        int changed = random.nextInt(operations.size());
        History history = new History();
        for (int i = 0; i < operations.size(); i++) {
            history.add(i == changed ? asReadOfNothingEverWritten(operations.get(i)) : operations.get(i));
        }
        assertThat(HistoryChecker.check(history)).isNotEmpty();
    }

    private static Operation asReadOfNothingEverWritten(Operation operation) {
        return new Operation(
                operation.client(),
                operation.key(),
                OperationKind.GET,
                Map.of(),
                "",
                operation.invoked(),
                operation.returned(),
                Result.read("never", Map.of("A", "never")));
    }

    /** Takes operations one after another, each at a moment inside its interval. Confined to one test. */
    private static final class CorrectStore {
        private final Random random;
        private final int unknownPercent;
        private final Map<String, EntityState> states = new TreeMap<>();
        private final Set<String> told = new HashSet<>();
        private int etags;

        private CorrectStore(Random random, int unknownPercent) {
            this.random = random;
            this.unknownPercent = unknownPercent;
        }

        private record Moment(long at, long from, long to) {}

        private History run() {
            List<Moment> moments = new ArrayList<>();
            for (int i = 0; i < OPERATIONS; i++) {
                long at = random.nextInt(OPERATIONS * 10);
                moments.add(new Moment(at, at - random.nextInt(25), at + random.nextInt(25)));
            }
            moments.sort(Comparator.comparingLong(Moment::at));
            History history = new History();
            moments.forEach(moment -> history.add(operation(moment)));
            return history;
        }

        private Operation operation(Moment moment) {
            String key = "k" + random.nextInt(3);
            EntityState state = states.getOrDefault(key, EntityState.ABSENT);
            OperationKind kind = KINDS.get(random.nextInt(KINDS.size()));
            String ifMatch = conditional(kind) && random.nextBoolean() ? someEtag(state) : "";
            Map<String, String> properties = kind == OperationKind.GET || kind == OperationKind.DELETE
                    ? Map.of()
                    : Map.of(random.nextBoolean() ? "A" : "B", Integer.toString(random.nextInt(1000)));
            Operation asked = new Operation(
                    0, key, kind, properties, ifMatch, moment.from, moment.to, Result.written("e" + etags++));
            return answered(asked, state);
        }

        private static boolean conditional(OperationKind kind) {
            return kind == OperationKind.REPLACE || kind == OperationKind.MERGE || kind == OperationKind.DELETE;
        }

        private String someEtag(EntityState state) {
            return random.nextBoolean()
                            && told.contains(state.etag())
                            && !state.etag().isEmpty()
                    ? state.etag()
                    : "stale";
        }

        private Operation answered(Operation asked, EntityState state) {
            if (asked.kind() == OperationKind.GET) {
                return state.properties() == null
                        ? with(asked, Result.of(Outcome.MISSING, ""))
                        : with(asked, Result.read(state.etag(), state.properties()));
            }
            EntityState after = state.step(asked);
            boolean isUnknown = random.nextInt(100) < unknownPercent;
            if (after != null && (!isUnknown || random.nextBoolean())) {
                states.put(asked.key(), after);
            }
            return with(asked, isUnknown ? Result.of(Outcome.UNKNOWN, "") : result(asked, state, after != null));
        }

        private static Result result(Operation asked, EntityState state, boolean done) {
            if (done) {
                return asked.kind() == OperationKind.DELETE ? Result.written("") : asked.result();
            }
            if (asked.kind() == OperationKind.INSERT) {
                return Result.of(Outcome.EXISTS, "");
            }
            return Result.of(state.properties() == null ? Outcome.MISSING : Outcome.CONDITION_FAILED, "");
        }

        private Operation with(Operation asked, Result result) {
            told.add(result.etag());
            return new Operation(
                    asked.client(),
                    asked.key(),
                    asked.kind(),
                    asked.properties(),
                    asked.ifMatch(),
                    asked.invoked(),
                    asked.returned(),
                    result);
        }
    }
}
