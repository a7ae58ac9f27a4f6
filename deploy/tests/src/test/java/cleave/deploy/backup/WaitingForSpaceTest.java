package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.memory.InMemoryDfs;
import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitingForSpaceTest {
    private final InMemoryDfs target = new InMemoryDfs();
    private final List<String> notes = new ArrayList<>();
    private final WaitingForSpace waiting = new WaitingForSpace(target, Duration.ofMillis(1), notes::add);

    @Test
    void anAppendThatWaitsForSpaceEndsTheWait() {
        DfsFile file = target.create("copy").join();
        target.space(Space.FULL);
        CompletableFuture<Long> append = file.append(ByteString.copyFromUtf8("abc"));

        assertThatThrownBy(() -> waiting.await(append))
                .isInstanceOfSatisfying(
                        DfsException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(Reason.NO_SPACE));
        assertThat(append).isNotDone();
    }

    @Test
    void aSlowAnswerIsAwaitedAndTheWaitIsReported() {
        CompletableFuture<Long> slow = new CompletableFuture<Long>().completeOnTimeout(7L, 200, TimeUnit.MILLISECONDS);

        assertThat(waiting.await(slow)).isEqualTo(7);
        assertThat(notes).first().asString().startsWith("Still waiting for an answer");
    }

    @Test
    void whatFailedFailsAsBefore() {
        assertThatThrownBy(() -> waiting.await(CompletableFuture.failedFuture(new DfsException(Reason.EXISTS, "copy"))))
                .isInstanceOf(DfsException.class)
                .hasMessage("EXISTS: copy");
    }
}
