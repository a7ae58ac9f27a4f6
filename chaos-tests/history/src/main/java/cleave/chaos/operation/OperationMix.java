package cleave.chaos.operation;

import cleave.chaos.history.OperationKind;
import java.util.List;
import java.util.Random;

/** The frequencies of operations: each element of the list is equally likely. Immutable. */
public record OperationMix(List<OperationKind> kinds) {
    /** Everything a client can do to an entity, reads most of all. */
    public static final OperationMix EVERYTHING = new OperationMix(List.of(
            OperationKind.GET,
            OperationKind.GET,
            OperationKind.GET,
            OperationKind.GET,
            OperationKind.INSERT,
            OperationKind.INSERT,
            OperationKind.REPLACE,
            OperationKind.REPLACE,
            OperationKind.MERGE,
            OperationKind.INSERT_OR_REPLACE,
            OperationKind.INSERT_OR_MERGE,
            OperationKind.DELETE));

    /** Writes that are never refused, and reads of them, never two in a row: so a range that takes writes again is soon seen to. */
    public static final OperationMix PROBE = new OperationMix(
            List.of(OperationKind.INSERT_OR_REPLACE, OperationKind.INSERT_OR_REPLACE, OperationKind.GET));

    /** The writes of transactions; most are never refused, because one refusal refuses the whole transaction. */
    public static final OperationMix TRANSACTION = new OperationMix(List.of(
            OperationKind.INSERT_OR_REPLACE,
            OperationKind.INSERT_OR_REPLACE,
            OperationKind.INSERT_OR_REPLACE,
            OperationKind.INSERT_OR_MERGE,
            OperationKind.INSERT_OR_MERGE,
            OperationKind.INSERT,
            OperationKind.REPLACE,
            OperationKind.MERGE,
            OperationKind.DELETE));

    public OperationKind pick(Random random) {
        return kinds.get(random.nextInt(kinds.size()));
    }
}
