package cleave.chaos.process;

import cleave.deploy.cluster.Engine;
import cleave.deploy.cluster.Jvm;
import cleave.deploy.cluster.Layout;
import cleave.deploy.cluster.NodeId;
import cleave.deploy.cluster.NodeId.Role;
import cleave.model.Readiness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** ZooKeeper, bookies and autorecovery of a cluster. Confined to its owner. */
public final class BookKeeper {
    private final Engine engine;
    private final Jvm jvm;
    private final List<NodeId> nodes;
    private final Map<String, ChildProcess> processes = new TreeMap<>();
    private final List<ChildProcess> zookeepers;
    private final List<ChildProcess> bookies;
    private final List<ChildProcess> autorecovery;

    BookKeeper(Layout layout, Jvm jvm) {
        this.engine = new Engine(layout);
        this.jvm = jvm;
        this.nodes = layout.nodes();
        zookeepers = processes(layout, Role.ZOOKEEPER);
        bookies = processes(layout, Role.BOOKIE);
        autorecovery = processes(layout, Role.AUTORECOVERY);
    }

    private List<ChildProcess> processes(Layout layout, Role role) {
        List<ChildProcess> all = new ArrayList<>();
        for (NodeId node : layout.nodes(role)) {
            ChildProcess process =
                    new ChildProcess(layout.folder(node), () -> engine.launch(node, jvm), () -> readiness(node));
            processes.put(node.toString(), process);
            all.add(process);
        }
        return List.copyOf(all);
    }

    private Readiness readiness(NodeId node) {
        String answer = engine.ask(node);
        return answer.equals("ready") ? Readiness.READY : Readiness.missing(answer);
    }

    void start(Patience patience) {
        engine.start(jvm, new Engine.Nodes() {
            @Override
            public void start(NodeId node) {
                process(node).start();
            }

            @Override
            public void awaitReady(List<NodeId> nodes) {
                nodes.forEach(node -> process(node).awaitReady(patience));
            }
        });
    }

    private ChildProcess process(NodeId node) {
        ChildProcess process = processes.get(node.toString());
        if (process == null) {
            throw new IllegalArgumentException("there is no " + node);
        }
        return process;
    }

    public List<ChildProcess> zookeepers() {
        return zookeepers;
    }

    public List<ChildProcess> bookies() {
        return bookies;
    }

    /** In the order in which they are started. */
    public List<ChildProcess> all() {
        return Stream.of(zookeepers, bookies, autorecovery)
                .flatMap(List::stream)
                .toList();
    }

    /** Empty if none answers that it leads. */
    public Optional<ChildProcess> leadingZooKeeper() {
        return zookeepers.stream().filter(server -> engine.leads(node(server))).findFirst();
    }

    private NodeId node(ChildProcess process) {
        return nodes.stream()
                .filter(node -> node.toString().equals(process.name()))
                .findFirst()
                .orElseThrow();
    }

    /** True if nothing has a copy missing because of a disk that was destroyed. */
    public boolean isWholeAgain() {
        return engine.lostDisks(jvm).isEmpty();
    }

    /** Destroys all that a bookie has stored, even if that was the last copy; its process must not be alive. */
    public void destroyDisk(ChildProcess bookie) {
        requireDead(bookie);
        engine.destroy(node(bookie));
    }

    /** Destroys all that a ZooKeeper server has stored, which it then gets from the others; its process must not be alive. */
    public void destroyMetadata(ChildProcess zookeeper) {
        requireDead(zookeeper);
        if (zookeepers.size() == 1) {
            throw new IllegalStateException("there is no other copy of what " + zookeeper.name() + " stores");
        }
        engine.destroy(node(zookeeper));
    }

    private static void requireDead(ChildProcess process) {
        if (process.isAlive()) {
            throw new IllegalStateException(process.name() + " is alive");
        }
    }
}
