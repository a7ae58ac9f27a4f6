package cleave.chaos.process;

import cleave.deploy.cluster.Engine;
import cleave.deploy.cluster.Jvm;
import cleave.deploy.cluster.Layout;
import cleave.deploy.cluster.NodeId;
import cleave.deploy.cluster.NodeId.Role;
import cleave.model.Readiness;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** ZooKeeper, bookies and autorecovery of a cluster. Confined to its owner. */
public final class BookKeeper {
    private final Layout layout;
    private final Engine engine;
    private final Jvm jvm;
    /** In the order in which they are started. */
    private final Map<NodeId, ChildProcess> processes = new LinkedHashMap<>();

    BookKeeper(Layout layout, Jvm jvm) {
        this.layout = layout;
        this.engine = new Engine(layout);
        this.jvm = jvm;
        for (Role role : List.of(Role.ZOOKEEPER, Role.BOOKIE, Role.AUTORECOVERY)) {
            layout.nodes(role)
                    .forEach(node -> processes.put(
                            node,
                            new ChildProcess(
                                    layout.folder(node), () -> engine.launch(node, jvm), null, () -> readiness(node))));
        }
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
        return Objects.requireNonNull(processes.get(node), node.toString());
    }

    private List<ChildProcess> processes(Role role) {
        return layout.nodes(role).stream().map(this::process).toList();
    }

    public List<ChildProcess> zookeepers() {
        return processes(Role.ZOOKEEPER);
    }

    public List<ChildProcess> bookies() {
        return processes(Role.BOOKIE);
    }

    /** In the order in which they are started. */
    public List<ChildProcess> all() {
        return List.copyOf(processes.values());
    }

    /** Empty if none answers that it leads. */
    public Optional<ChildProcess> leadingZooKeeper() {
        return layout.nodes(Role.ZOOKEEPER).stream()
                .filter(engine::leads)
                .findFirst()
                .map(this::process);
    }

    /** True if nothing has a copy missing because of a disk that was destroyed. */
    public boolean isWholeAgain() {
        return engine.lostDisks(jvm).isEmpty();
    }

    /**
     * Destroys all that a process has stored, even if that was the last copy of what a bookie had; a ZooKeeper server gets it from the others,
     * of which there must be some. The process must not be alive.
     */
    public void destroyDisk(ChildProcess process) {
        if (process.isAlive()) {
            throw new IllegalStateException(process.name() + " is alive");
        }
        if (zookeepers().equals(List.of(process))) {
            throw new IllegalStateException("there is no other copy of what " + process.name() + " stores");
        }
        processes.forEach((node, its) -> {
            if (its == process) {
                engine.destroy(node);
            }
        });
    }
}
