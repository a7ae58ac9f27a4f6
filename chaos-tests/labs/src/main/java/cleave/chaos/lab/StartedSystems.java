package cleave.chaos.lab;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.deploy.cluster.DfsPlan;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts processes when the first lab needs them: one all-in-one process, one with throttled partitions, one with two accounts, one cluster,
 * and a cluster for each lab that may break it. Confined to its thread.
 */
final class StartedSystems implements AutoCloseable {
    private static final Patience PATIENCE = Patience.ofSeconds(180);
    private static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseSerialGC");
    private static final int SERVERS = 3;
    private static final String FULL_HEAP = "512m";
    /** One of them can be lost. */
    private static final int MASTERS_OF_ITS_OWN = 3;

    private final Path folder;
    private final DfsPlan dfs;
    private final @Nullable LabSystem given;
    private final Consumer<String> progress;
    private final List<Cluster> own = new ArrayList<>();
    private final Map<Needs, SpecialStandalone> standalones = new EnumMap<>(Needs.class);
    private @Nullable Cluster shared;

    /**
     * @param folder of data and logs
     * @param dfs of the clusters
     * @param given what labs run on that break nothing; null: on processes that this starts
     */
    StartedSystems(Path folder, DfsPlan dfs, @Nullable LabSystem given, Consumer<String> progress) {
        this.folder = folder;
        this.dfs = dfs;
        this.given = given;
        this.progress = progress;
    }

    /** The system for a lab of this card; the same for several labs unless the card asks for an own one. */
    LabSystem of(LabCard card) {
        if (card.needs() == Needs.OWN_CLUSTER || card.needs() == Needs.FULL_CLUSTER) {
            Cluster cluster = cluster(card.name(), MASTERS_OF_ITS_OWN, card.needs() == Needs.FULL_CLUSTER);
            own.add(cluster);
            return LabSystem.of(cluster);
        }
        if (given != null && (card.needs() == Needs.CLUSTER || card.needs() == Needs.ENDPOINT)) {
            return given;
        }
        return card.needs() == Needs.CLUSTER
                ? LabSystem.of(shared())
                : standalones.computeIfAbsent(card.needs(), this::standalone).system();
    }

    private SpecialStandalone standalone(Needs needs) {
        progress.accept("starting a standalone process for labs on " + needs);
        return SpecialStandalone.started(needs, folder.resolve(needs.name()), JVM, PATIENCE);
    }

    private Cluster shared() {
        if (shared == null) {
            shared = cluster("cluster", 1, false);
        }
        return shared;
    }

    private Cluster cluster(String name, int masters, boolean isFast) {
        progress.accept("starting a cluster of " + masters + (masters == 1 ? " master, " : " masters, ") + SERVERS
                + " servers, 1 front end and 1 DFS node");
        ClusterPlan plan = ClusterPlan.in(folder.resolve(name))
                .masters(masters)
                .servers(SERVERS)
                .dfs(dfs);
        return Cluster.started(isFast ? plan.atFullSpeed(FULL_HEAP) : plan, PATIENCE);
    }

    /** The lab that got this system has ended. */
    void release(LabSystem system) {
        Cluster cluster = system.cluster();
        if (cluster != null && own.remove(cluster)) {
            cluster.close();
        }
    }

    @Override
    public void close() {
        Deque<Runnable> closings = new ArrayDeque<>();
        own.forEach(cluster -> closings.add(cluster::close));
        if (shared != null) {
            closings.add(shared::close);
        }
        standalones.values().forEach(each -> closings.add(each::close));
        closeAll(closings);
    }

    /** Runs all of them, even if one fails. */
    private static void closeAll(Deque<Runnable> closings) {
        if (!closings.isEmpty()) {
            try {
                closings.pop().run();
            } finally {
                closeAll(closings);
            }
        }
    }
}
