package cleave.chaos.sim.faults;

import static cleave.chaos.sim.world.World.any;

import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.world.Dice;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimVersion;
import cleave.chaos.sim.world.World;
import java.util.ArrayList;
import java.util.List;

/**
 * A rolling upgrade: processes are replaced by a newer version one at a time, in any order. Some are downgraded while
 * that is still possible, and some by mistake when it no longer is.
 */
final class Upgrades {
    private static final long SECOND = 1_000_000_000L;

    private final World world;
    private final SimCluster cluster;
    private final Dice random;
    private final Agenda agenda;
    private boolean over;

    Upgrades(SimCluster cluster, Agenda agenda) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.random = world.newDice();
        this.agenda = agenda;
    }

    void begin() {
        world.count("fault " + FaultKind.UPGRADE);
        agenda.replay(kind -> kind == FaultKind.UPGRADE, List.of(random), kind -> {
            if (!over) {
                act();
                later();
            }
        });
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
        long pause = (long) (random.nextDouble() * 4 * SECOND);
        if (agenda.isGiven()) {
            return;
        }
        world.after(pause, () -> {
            if (!over) {
                act();
                later();
            }
        });
    }

    private void act() {
        List<Long> states = Agenda.states(List.of(random));
        List<Node> present = running(SimVersion.PRESENT);
        List<Node> newer = running(SimVersion.NEWER);
        boolean raised = cluster.audited().level() >= SimVersion.NEWER.levels().max();
        if (raised && random.nextInt(3) == 0) {
            Node slipped = any(newer, random);
            world.count("older versions started too late");
            agenda.struck(FaultKind.UPGRADE, states, "of " + slipped + ", undone by mistake");
            replace(slipped, SimVersion.PRESENT);
            world.after((long) ((1 + random.nextDouble() * 4) * SECOND), () -> replace(slipped, SimVersion.NEWER));
        } else if (!raised && !newer.isEmpty() && random.nextInt(5) == 0) {
            world.count("downgrades");
            Node back = any(newer, random);
            agenda.struck(FaultKind.UPGRADE, states, "of " + back + ", undone");
            replace(back, SimVersion.PRESENT);
        } else if (!present.isEmpty()) {
            world.count("upgrades");
            Node next = any(present, random);
            agenda.struck(FaultKind.UPGRADE, states, "of " + next);
            replace(next, SimVersion.NEWER);
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
