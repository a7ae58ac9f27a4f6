package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;
import io.prometheus.client.CollectorRegistry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The embedded form. */
final class FileDfsContractTest extends DfsContract {
    private @Nullable Dfs opened;
    private CollectorRegistry registry = new CollectorRegistry();

    @Override
    protected Dfs open() {
        registry = new CollectorRegistry();
        Dfs dfs = DfsClients.open("file:" + folder, spaceReserve, Transport.PLAIN, new DfsMetrics(registry));
        opened = dfs;
        return dfs;
    }

    @Override
    protected void stop() {
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
    void aBarrierSyncsNothing() {
        DfsFile file = get(Objects.requireNonNull(opened).create("log"));
        get(file.append(text("abc")));
        Double syncs = registry.getSampleValue("cleave_dfs_groups_total");

        for (int i = 0; i < 100; i++) {
            get(file.barrier());
        }

        assertThat(registry.getSampleValue("cleave_dfs_groups_total")).isEqualTo(syncs);
        assertThat(registry.getSampleValue("cleave_dfs_barriers_total")).isEqualTo(100.0);
    }

    @Test
    void aSchemeWithoutItsModuleSaysWhatToAdd() {
        assertThatThrownBy(() -> DfsClients.open("bookkeeper://localhost:2181/cleave", metrics()))
                .isInstanceOf(DfsException.class)
                .hasMessageContaining("dfs-stub/bookkeeper/target/lib");
    }

    @Test
    void unknownUrisAreRefused() {
        for (String uri : new String[] {"", "file:", "hdfs:x", "dfs:nowhere", "dfs:a:1,b:2"}) {
            assertThatThrownBy(() -> DfsClients.open(uri, metrics())).isInstanceOf(DfsException.class);
        }
    }
}
