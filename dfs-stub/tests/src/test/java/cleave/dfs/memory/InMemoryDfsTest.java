package cleave.dfs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.DfsContract;
import cleave.dfs.DfsFile;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The DFS of the tests keeps the contract. */
final class InMemoryDfsTest extends DfsContract {
    private @Nullable InMemoryDfs opened;

    /** Files survive as long as the object, so a reopened DFS is the same one. */
    @Override
    protected Dfs open() {
        if (opened == null) {
            opened = new InMemoryDfs();
        }
        return opened;
    }

    @Override
    protected Dfs openWith(Dfs.Space space) {
        InMemoryDfs dfs = (InMemoryDfs) open();
        dfs.space(space);
        return dfs;
    }

    @Override
    protected void stop() {
        if (opened != null) {
            opened.space(Dfs.Space.ROOMY);
        }
    }

    /** No DFS leaves an append without an end, not even one whose file it has forgotten. */
    @Test
    void appendsThroughAnOldHandleEndWhenTheMediumBreaks() {
        InMemoryDfs dfs = (InMemoryDfs) open();
        DfsFile old = dfs.create("log").join();
        dfs.delete("log").join();
        dfs.forgetFence("log");
        dfs.holdAppends(path -> true);
        CompletableFuture<Long> append = old.append(ByteString.copyFromUtf8("late"));
        assertThat(append).isNotDone();

        dfs.breakAppends("log", 0);
        assertThat(append).isCompletedExceptionally();
    }
}
