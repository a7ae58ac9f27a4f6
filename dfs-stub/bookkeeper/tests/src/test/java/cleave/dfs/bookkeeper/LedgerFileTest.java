package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.policy.FenceTimes;
import cleave.dfs.policy.NameTrust.Moment;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.junit.jupiter.api.Test;

/** A writer that believes its bookies or not; they report what the test lets them. */
class LedgerFileTest {
    private static final long LEDGER = 7;
    private static final long TRUST = 1_000;
    private static final Name WRITTEN = Name.written(LEDGER);

    private final ArrayDeque<CompletableFuture<Long>> stored = new ArrayDeque<>();
    private final ArrayDeque<CompletableFuture<Name>> looks = new ArrayDeque<>();
    private final DfsMetrics metrics = new DfsMetrics(new CollectorRegistry());
    private final List<LedgerFile> closed = new ArrayList<>();
    private long now;
    private int forced;
    private final LedgerFile file =
            new LedgerFile("log", ledger(), new FenceTimes(TRUST, 2 * TRUST), new Moment(0, 0), new Outside());

    private final class Outside implements LedgerFile.Outside {
        @Override
        public Space space() {
            return Space.ROOMY;
        }

        @Override
        public CompletableFuture<Name> name(String path) {
            looks.add(new CompletableFuture<>());
            return looks.getLast();
        }

        @Override
        public Moment now() {
            return new Moment(now, 0);
        }

        @Override
        public DfsMetrics metrics() {
            return metrics;
        }

        @Override
        public void closed(LedgerFile file) {
            closed.add(file);
        }
    }

    private WriteHandle ledger() {
        return (WriteHandle) Proxy.newProxyInstance(
                WriteHandle.class.getClassLoader(), new Class<?>[] {WriteHandle.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getId")) {
                        return LEDGER;
                    }
                    if (method.getName().equals("force")) {
                        forced++;
                        return CompletableFuture.completedFuture(null);
                    }
                    assertThat(method.getName()).isEqualTo("appendAsync");
                    stored.add(new CompletableFuture<>());
                    return stored.getLast();
                });
    }

    private CompletableFuture<Long> append() {
        return file.append(ByteString.copyFromUtf8("x"));
    }

    private void report() {
        stored.remove().complete(0L);
    }

    private static void assertFails(CompletableFuture<?> future, Reason reason) {
        assertThat(future).isCompletedExceptionally();
        assertThatThrownBy(future::join)
                .cause()
                .isInstanceOfSatisfying(
                        DfsException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    @Test
    void whatIsReportedSoonAfterTheCreationIsBelieved() {
        CompletableFuture<Long> append = append();
        now = TRUST - 1;
        report();

        assertThat(append).isCompletedWithValue(1L);
        assertThat(file.acknowledged()).isEqualTo(1);
        assertThat(looks).isEmpty();
    }

    @Test
    void whatIsReportedLateIsBelievedOnceTheNameIsFound() {
        CompletableFuture<Long> append = append();
        CompletableFuture<Void> barrier = file.barrier();
        now = TRUST;
        report();
        report();
        assertThat(append).isNotDone();
        assertThat(file.acknowledged()).isZero();

        now = 50 * TRUST;
        looks.remove().complete(WRITTEN);

        assertThat(append).isCompletedWithValue(1L);
        assertThat(barrier).isCompleted();
        assertThat(looks).isEmpty();
    }

    /** A deferred ledger that is never synced takes its seal long to read. */
    @Test
    void afterThousandsOfBarriersAllAreSynced() {
        for (int i = 1; i < 4_096; i++) {
            file.barrier();
            report();
        }
        assertThat(forced).isZero();

        file.barrier();
        report();

        assertThat(forced).isOne();
    }

    @Test
    void ofAFileThatIsGoneNothingIsBelieved() {
        CompletableFuture<Long> append = append();
        now = TRUST;
        report();
        looks.remove().complete(new Name(Name.Kind.DELETED_FENCED, LEDGER, 3));

        assertFails(append, Reason.DELETED);
        assertFails(append(), Reason.DELETED);
        assertThat(file.acknowledged()).isZero();
    }

    @Test
    void aHandleIsClosedOnceNothingIsUnderWay() {
        CompletableFuture<Long> append = append();
        CompletableFuture<Void> barrier = file.barrier();
        file.close();
        report();
        assertThat(closed).isEmpty();

        report();

        assertThat(append).isCompletedWithValue(1L);
        assertThat(barrier).isCompleted();
        assertFails(append(), Reason.BROKEN);
        assertThat(closed).containsExactly(file);
    }

    @Test
    void aHandleWhoseFileAnotherHasEndedIsClosedThoughNobodyClosesIt() {
        now = TRUST / 2;
        file.confirm();
        looks.remove().complete(WRITTEN.as(Name.Kind.TAKEN_OVER));

        assertThat(closed).containsExactly(file);
        assertFails(append(), Reason.SEALED);
    }

    @Test
    void aHandleThatMeetsAFenceIsClosedThoughNobodyClosesIt() {
        CompletableFuture<Long> append = append();
        stored.remove().completeExceptionally(new BKException.BKLedgerFencedException());
        looks.remove().complete(WRITTEN.as(Name.Kind.TAKEN_OVER));

        assertFails(append, Reason.SEALED);
        assertThat(closed).containsExactly(file);
        assertThat(file.isLost()).isTrue();
        assertFails(append(), Reason.SEALED);
    }

    /** Which seals it, or gives it up. */
    @Test
    void aHandleWhoseLedgerBreaksIsLeftToItsWriter() {
        CompletableFuture<Long> append = append();
        stored.remove().completeExceptionally(new BKException.BKNotEnoughBookiesException());
        looks.remove().complete(WRITTEN);

        assertFails(append, Reason.BROKEN);
        assertThat(closed).isEmpty();
        assertThat(file.isLost()).isFalse();
    }

    @Test
    void thePathOfAnotherFileIsNoProof() {
        CompletableFuture<Long> append = append();
        now = TRUST;
        report();
        looks.remove().complete(new Name(Name.Kind.EMPTY, Name.NO_LEDGER, 0));

        assertFails(append, Reason.DELETED);
    }

    /** The fence is there as long as the name, so what was accepted came before it. */
    @Test
    void aReportOfAFileThatWasSealedSinceIsTrueAndTheLastOne() {
        CompletableFuture<Long> append = append();
        now = TRUST;
        report();
        looks.remove().complete(WRITTEN.as(Name.Kind.TAKEN_OVER));

        assertThat(append).isCompletedWithValue(1L);
        assertFails(append(), Reason.SEALED);
    }

    @Test
    void whileTheNameCannotBeLearntAppendsStayUnderWayAndInOrder() {
        List<Long> lengths = new ArrayList<>();
        append().thenAccept(lengths::add);
        append().thenAccept(lengths::add);
        now = TRUST;
        report();
        now = 2 * TRUST;
        looks.remove().completeExceptionally(new DfsException(Reason.UNAVAILABLE, "no answer"));
        report();
        assertThat(lengths).isEmpty();
        assertThat(looks).hasSize(1);

        looks.remove().complete(WRITTEN);

        assertThat(lengths).containsExactly(1L, 2L);
    }

    @Test
    void aLookThatWasSentBeforeAReportIsNoProofOnceItIsTooOld() {
        CompletableFuture<Long> append = append();
        now = TRUST;
        file.confirm();
        now = 2 * TRUST;
        report();
        looks.remove().complete(WRITTEN);
        assertThat(append).isNotDone();

        looks.remove().complete(WRITTEN);

        assertThat(append).isCompletedWithValue(1L);
    }

    @Test
    void theNameIsLookedUpEarlySoThatAppendsNeedNotWait() {
        file.confirm();
        assertThat(looks).isEmpty();
        now = TRUST / 2;
        file.confirm();
        file.confirm();
        assertThat(looks).hasSize(1);
        looks.remove().complete(WRITTEN);

        CompletableFuture<Long> append = append();
        now = TRUST + 1;
        report();

        assertThat(append).isCompletedWithValue(1L);
    }
}
