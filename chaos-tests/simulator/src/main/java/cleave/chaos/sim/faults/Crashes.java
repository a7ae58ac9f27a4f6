package cleave.chaos.sim.faults;

import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.world.Dice;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.World;
import java.util.ArrayList;
import java.util.List;

/** Crashes processes, and restarts them at once, later, or on another machine. */
final class Crashes {
    private static final long SECOND = 1_000_000_000L;

    private final World world;
    private final SimCluster cluster;
    private final Cuts cuts;
    private final Dice random;
    private final List<Node> zombies = new ArrayList<>();

    Crashes(SimCluster cluster, Cuts cuts) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.cuts = cuts;
        this.random = world.newDice();
    }

    Dice dice() {
        return random;
    }

    void crash(Node node) {
        if (!node.isUp()) {
            return;
        }
        node.crash();
        if (zombies.contains(node)) {
            return; // Another machine has replaced it.
        }
        boolean late = random.nextBoolean();
        world.count("restarts of a " + role(node) + (late ? ", late" : ", at once"));
        world.after(
                late ? (long) ((0.5 + random.nextDouble() * 6) * SECOND) : random.nextInt(200_000_000), node::start);
    }

    private static String role(Node node) {
        return switch (node.name().charAt(0)) {
            case 'm' -> "master";
            case 's' -> "server";
            case 'f' -> "front end";
            default -> "DFS node";
        };
    }

    /** The process ends instead of executing one of its next events. */
    void crashAtAnEvent(Node node) {
        node.process().endsAfter(1 + random.nextInt(1 << random.nextInt(12)), () -> {
            world.count("crashes at an event");
            crash(node);
        });
    }

    /** The server is cut off from the masters and perhaps from its peers but keeps running, while another starts in its place. */
    void makeZombie(Node server) {
        if (!server.isUp()) {
            return;
        }
        List<String> unreached = new ArrayList<>();
        cluster.masters().forEach(master -> unreached.add(master.name()));
        if (random.nextBoolean()) {
            cluster.servers().forEach(peer -> unreached.add(peer.name()));
        }
        Node next = cluster.replace(server);
        unreached.add(next.name());
        world.note("fault", "makes a zombie of", server + ", in its place begins " + next);
        cuts.around(server.name(), unreached, false, 2 * SECOND + cuts.someTime());
        zombies.add(server);
        world.after((long) (random.nextDouble() * 2 * SECOND), next::start);
        world.after(2 * SECOND + (long) (random.nextDouble() * 10 * SECOND), server::crash);
    }

    /** Starts all processes and ends no more. */
    void end(List<Node> nodes) {
        zombies.forEach(Node::crash);
        for (Node node : nodes) {
            node.process().endsAfter(0, () -> {});
            node.process().resume();
            node.start();
        }
    }
}
