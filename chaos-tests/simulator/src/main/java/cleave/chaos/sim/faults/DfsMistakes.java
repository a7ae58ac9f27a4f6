package cleave.chaos.sim.faults;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.deploy.CommandFailure;
import cleave.deploy.backup.Backups;
import cleave.deploy.backup.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Copies of a cluster's DFS, and operators' mistakes with the setting that names it, corrected later. */
public final class DfsMistakes {
    private final World world;
    private final SimCluster cluster;
    private final Bug bug;
    private final List<Node> mistaken = new ArrayList<>();
    private SimDfs current;
    private @Nullable SimDfs copy;

    public DfsMistakes(SimCluster cluster, Bug bug, SimDfs current) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.bug = bug;
        this.current = current;
    }

    /** The DFS that is right. */
    public SimDfs current() {
        return current;
    }

    /** An operator copies the DFS by the command; CommandFailure if it refuses. */
    public void copy(SimProcess operator, Waiting waiting) {
        copy(current, operator, waiting);
    }

    /** And then the copy. */
    public void copyAgain(SimProcess operator, Waiting waiting) {
        copy(Objects.requireNonNull(copy), operator, waiting);
    }

    private void copy(SimDfs from, SimProcess operator, Waiting waiting) {
        SimDfs made = new SimDfs(world, bug);
        Random random = world.newRandom();
        try {
            Backups.copyDfs(
                    from.at(operator),
                    made.at(operator),
                    () -> new UUID(random.nextLong(), random.nextLong()).toString(),
                    waiting);
        } catch (IOException failed) {
            throw CommandFailure.failed(String.valueOf(failed.getMessage()));
        }
        copy = made;
    }

    /** The copy is right from now on, for all processes that start; but the setting of one node is forgotten. */
    public void moveAllBut(Node forgotten) {
        SimDfs before = current;
        current = Objects.requireNonNull(copy);
        cluster.roles().use(current);
        cluster.roles().use(forgotten.name(), before);
        mistaken.add(forgotten);
        cluster.auditor().follow(current);
    }

    /** The processes that start on this node from now on use the copy, although the cluster does not. */
    public void moveOnly(Node node) {
        cluster.roles().use(node.name(), Objects.requireNonNull(copy));
        mistaken.add(node);
    }

    /** Corrects the setting wherever it is wrong, and restarts these processes. */
    public void putRight() {
        cluster.roles().use(current);
        mistaken.forEach(node -> {
            node.crash();
            node.start();
        });
        mistaken.clear();
    }
}
