package cleave.dfs.memory;

import cleave.dfs.Dfs;
import cleave.dfs.DfsContract;
import org.jspecify.annotations.Nullable;

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
    protected Dfs openWithLowSpace() {
        InMemoryDfs dfs = (InMemoryDfs) open();
        dfs.space(Dfs.Space.LOW);
        return dfs;
    }

    @Override
    protected void stop() {
        if (opened != null) {
            opened.space(Dfs.Space.ROOMY);
        }
    }
}
