package cleave.chaos.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.load.Workloads;
import cleave.chaos.load.run.Attempt;
import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerSessionTest {
    private final List<String> sent = new ArrayList<>();
    private Attempt answer = Attempt.done(1);
    private @Nullable IOException failure;

    private final PeerSession session = new PeerSession() {
        private Attempt sent(String what) throws IOException {
            sent.add(what);
            if (failure != null) {
                throw failure;
            }
            return answer;
        }

        @Override
        Attempt get(EntityKey key) throws IOException {
            return sent("get " + key.row());
        }

        @Override
        Attempt page(EntityKey from) throws IOException {
            return sent("page " + from.row());
        }

        @Override
        Attempt insert(Operation operation) throws IOException {
            return sent("insert " + operation.key().row());
        }

        @Override
        Attempt merge(Operation operation) throws IOException {
            return sent("merge " + operation.key().row());
        }

        @Override
        boolean isTimeOut(Exception failed) {
            return failed instanceof SocketTimeoutException;
        }

        @Override
        void disconnect() {
            sent.add("disconnect");
        }
    };

    private Attempt attempt(Action action) {
        return session.attempt(new Operation(action, 1, List.of(new EntityKey("p", "r")), 7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f"})
    void everyWorkloadOfYcsbIsKnown(String name) {
        PeerSession.requireKnown(Workloads.of(name));
    }

    @Test
    void otherOperationsAreRefusedAtTheBeginning() {
        assertThatThrownBy(() -> PeerSession.requireKnown(Workloads.of("mixed")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("replace", "transaction");
    }

    @Test
    void aReadModifyWriteIsAReadAndAMerge() {
        assertThat(attempt(Action.READ_MODIFY_WRITE).status()).isEqualTo(Attempt.Status.DONE);
        assertThat(sent).containsExactly("get r", "merge r");
    }

    @Test
    void nothingIsWrittenToWhatIsNotThere() {
        answer = Attempt.notFound();
        assertThat(attempt(Action.READ_MODIFY_WRITE)).isEqualTo(Attempt.notFound());
        assertThat(sent).containsExactly("get r");
    }

    @Test
    void afterAFailureTheNextOperationHasAnotherConnection() {
        failure = new IOException("gone");
        assertThat(attempt(Action.INSERT).status()).isEqualTo(Attempt.Status.BROKEN);
        failure = new SocketTimeoutException("late");
        assertThat(attempt(Action.PAGE).status()).isEqualTo(Attempt.Status.TIMED_OUT);
        assertThat(sent).containsExactly("insert r", "disconnect", "page r", "disconnect");
    }
}
