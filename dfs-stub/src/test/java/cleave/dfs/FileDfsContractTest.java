package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The embedded form. */
final class FileDfsContractTest extends DfsContractTest {
    private @Nullable Dfs opened;

    @Override
    Dfs open() {
        Dfs dfs = DfsClients.open("file:" + folder, metrics());
        opened = dfs;
        return dfs;
    }

    @Override
    void stop() {
        if (opened != null) {
            opened.close();
        }
    }

    @Test
    void theFolderIsLocked() {
        assertThatThrownBy(this::openAgain).hasMessageContaining("in use");
    }

    private void openAgain() {
        DfsClients.open("file:" + folder, metrics());
    }

    @Test
    void aBarrierIsAnsweredAtOnce() throws Exception {
        DfsFile file = get(Objects.requireNonNull(opened).create("log"));

        CompletableFuture<Void> barrier = file.barrier();

        assertThat(barrier).isCompleted();
    }

    @Test
    void unknownUrisAreRefused() {
        for (String uri : new String[] {"", "file:", "hdfs:x", "dfs:nowhere", "dfs:a:1,b:2"}) {
            assertThatThrownBy(() -> DfsClients.open(uri, metrics())).isInstanceOf(DfsException.class);
        }
    }
}
