package cleave.chaos.conformance.golden;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.exchanges.GoldenContract;
import cleave.exchanges.Scene;
import cleave.exchanges.Stage;
import cleave.model.Key;
import cleave.model.table.Registry;
import cleave.wire.AdminSplitRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The exchanges against a cluster of separate processes: two partition servers, among which the registry, the tables and the
 * partitions of single tables are divided, and two front ends, which take turns. In each build {@code GoldenExchangesTest} of
 * front-end plays them on fakes whose ranges are divided like that.
 */
@Tag("nightly")
class ClusterGoldenExchangesIT extends GoldenContract {
    private static final int REGISTRY_RANGES = 4;
    private static final int TABLES_OF_A_RANGE = 32;

    private final ServerFiles files;
    private final Cluster cluster;
    private int plays;

    ClusterGoldenExchangesIT() throws IOException {
        super(ServerFiles.EXCHANGES);
        Path folder = Folders.fresh("golden-cluster");
        ClusterPlan plan = ClusterPlan.in(folder).servers(2).frontEnds(2);
        files = ServerFiles.in(folder, scenes());
        for (Map.Entry<String, String> setting : files.settings().entrySet()) {
            plan = plan.set(setting.getKey(), setting.getValue());
        }
        cluster = Cluster.planned(plan);
    }

    @BeforeAll
    void start() {
        cluster.start(Patience.ofSeconds(90));
        List<String> accounts = List.copyOf(Scene.accountsOf(scenes()));
        List<Key> bounds = new ArrayList<>();
        for (int i = 1; i < REGISTRY_RANGES; i++) {
            String account = accounts.get(accounts.size() * i / REGISTRY_RANGES);
            bounds.add(Key.beforePartition(Registry.TABLE, account));
        }
        for (int table = 1; table < scenes().size(); table += TABLES_OF_A_RANGE) {
            bounds.add(Key.beforeTable(table));
        }
        cluster.split(AdminSplitRequest.newBuilder()
                .addAllKeys(bounds.stream().map(Key::toWire).toList())
                .build());
        cluster.awaitServed(Patience.ofSeconds(60));
    }

    @Override
    protected Stage stage(Scene scene) {
        return new ClusterStage(scene, cluster, files, plays++);
    }

    @Test
    void everyServerHasRanges() {
        assertThat(cluster.admin().ranges().stream()
                        .map(row -> row.getOwner().getServer())
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder("server-1", "server-2");
    }

    @AfterAll
    void close() {
        cluster.close();
    }
}
