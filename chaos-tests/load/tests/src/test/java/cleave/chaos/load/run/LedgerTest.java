package cleave.chaos.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import cleave.client.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private static final EntityKey KEY = new EntityKey("p", "r");
    private static final long NONE = Ledger.NOT_MERGED;

    private final Ledger ledger = new Ledger();

    private static Operation of(Action action, long write) {
        return new Operation(action, 0, List.of(KEY), write);
    }

    private String problem(long whole, long merged) {
        return String.valueOf(ledger.problem(KEY, whole, merged));
    }

    @Test
    void whatWasAcknowledgedLastMustBeThere() {
        ledger.loaded(KEY, 1);
        ledger.acknowledged(of(Action.REPLACE, 2), 10, 20);
        ledger.acknowledged(of(Action.REPLACE, 3), 30, 40);

        assertThat(problem(3, NONE)).isEqualTo("null");
        assertThat(problem(2, NONE)).isEqualTo("wrong: it is written by 2, but must be written by 3");
        assertThat(problem(Ledger.ABSENT, NONE)).isEqualTo("lost: it must be written by 3");
    }

    @Test
    void aMergeStaysUntilTheWholeEntityIsWritten() {
        ledger.loaded(KEY, 1);
        ledger.acknowledged(of(Action.MERGE, 2), 10, 20);

        assertThat(problem(1, 2)).isEqualTo("null");
        assertThat(problem(1, NONE)).isEqualTo("wrong: it is written by 1, but must be written by 1 and merged by 2");
        ledger.acknowledged(of(Action.REPLACE, 3), 30, 40);
        assertThat(problem(3, NONE)).isEqualTo("null");
        assertThat(problem(3, 2)).contains("wrong");
    }

    /** The merge began after write 2 had ended, so it stays unless write 3 came last. */
    @Test
    void aMergeIsLostOnlyToAWriteThatMayHaveFollowedIt() {
        ledger.acknowledged(of(Action.REPLACE, 2), 10, 20);
        ledger.acknowledged(of(Action.REPLACE, 3), 15, 50);
        ledger.acknowledged(of(Action.MERGE, 4), 30, 40);

        assertThat(problem(2, 4)).isEqualTo("null");
        assertThat(problem(3, 4)).isEqualTo("null");
        assertThat(problem(3, NONE)).isEqualTo("null");
        assertThat(problem(2, NONE))
                .isEqualTo("wrong: it is written by 2, but must be written by 2 and merged by 4 or written by 3 or"
                        + " written by 3 and merged by 4");
    }

    @Test
    void ofManyPossibleStatesSomeAreNamed() {
        for (int write = 1; write <= 20; write++) {
            ledger.unknown(of(Action.REPLACE, write), write);
        }

        assertThat(problem(30, NONE)).endsWith("or written by 7 or as another write left it");
    }

    @Test
    void aDeletedEntityMustNotComeBack() {
        ledger.loaded(KEY, 1);
        ledger.acknowledged(of(Action.DELETE, 0), 10, 20);

        assertThat(problem(Ledger.ABSENT, NONE)).isEqualTo("null");
        assertThat(problem(1, NONE)).isEqualTo("wrong: it is written by 1, but must be absent");
    }

    @Test
    void whatIsReadBackIsComparedWhole() throws IOException {
        ledger.loaded(KEY, 1);
        ledger.loaded(new EntityKey("p", "s"), 2);
        String right = Entities.whole(KEY, 1, 300);
        Verification verification = new Verification(ledger, 300);

        verification.judge(JsonText.object(right.getBytes(StandardCharsets.UTF_8)));
        assertThat(verification.result().problems())
                .containsExactly("PartitionKey 'p', RowKey 's' is lost: it must be written by 2");

        Verification other = new Verification(ledger, 300);
        other.judge(JsonText.object(right.replace("0.25", "0.5").getBytes(StandardCharsets.UTF_8)));
        assertThat(other.result().wrong()).isEqualTo(2);
        assertThat(other.result().problems().get(0)).contains("its other properties are not those that write 1 wrote");
    }
}
