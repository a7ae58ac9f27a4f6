package cleave.chaos.sim.faults;

import static cleave.chaos.sim.world.World.any;

import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimVersion;
import cleave.chaos.sim.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A rolling upgrade: processes are replaced by a newer version one at a time, in any order. Some are downgraded while
 * that is still possible, and some by mistake when it no longer is.
 */
final class Upgrades {
    private static final long SECOND = 1_000_000_000L;

    private final World world;
    private final SimCluster cluster;
    private final Random random;
    private boolean over;

    Upgrades(SimCluster cluster) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.random = world.newRandom();
    }

    void begin() {
        world.count("fault " + FaultKind.UPGRADE);
        later();
    }

    /** Everything runs the newer version from now on. */
    void end() {
        over = true;
        for (Node node : cluster.nodes()) {
            if (cluster.roles().version(node.name()) != SimVersion.NEWER) {
                replace(node, SimVersion.NEWER);
            }
        }
    }

    private void later() {
        world.after((long) (random.nextDouble() * 4 * SECOND), () -> {
            if (!over) {
                act();
                later();
            }
        });
    }

    private void act() {
        List<Node> present = running(SimVersion.PRESENT);
        List<Node> newer = running(SimVersion.NEWER);
        boolean raised = cluster.audited().level() >= SimVersion.NEWER.levels().max();
        if (raised && random.nextInt(3) == 0) {
            Node slipped = any(newer, random);
            world.count("older versions started too late");
            replace(slipped, SimVersion.PRESENT);
            world.after((long) ((1 + random.nextDouble() * 4) * SECOND), () -> replace(slipped, SimVersion.NEWER));
        } else if (!raised && !newer.isEmpty() && random.nextInt(5) == 0) {
            world.count("downgrades");
            replace(any(newer, random), SimVersion.PRESENT);
        } else if (!present.isEmpty()) {
            world.count("upgrades");
            replace(any(present, random), SimVersion.NEWER);
        }
    }

    private List<Node> running(SimVersion version) {
        List<Node> all = new ArrayList<>(cluster.nodes());
        all.removeIf(node -> cluster.roles().version(node.name()) != version);
        return all;
    }

    private void replace(Node node, SimVersion version) {
        world.note("operator", "replaces " + node + " by", version.name());
        cluster.roles().install(node.name(), version);
        node.crash();
        world.after(random.nextInt(500_000_000), node::start);
    }
}
