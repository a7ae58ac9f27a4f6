package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.Wait;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The processes of a cluster on this machine, by its folder. Confined to the command's thread. */
public final class LocalCluster {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(15);
    private static final int LOG_LINES = 20;

    private final Layout layout;
    private final ReadyProbe probe = new ReadyProbe();

    LocalCluster(Layout layout) {
        this.layout = layout;
    }

    /** The cluster that was made in this folder. */
    public static LocalCluster in(Path dir) {
        return new LocalCluster(Layout.load(dir));
    }

    /** How one process does. {@code state}: running, paused or stopped; {@code readiness} is empty unless it is running. */
    public record NodeStatus(
            String role,
            int number,
            String state,
            long pid,
            String readiness,
            String address,
            String admin,
            Path log) {}

    public List<NodeStatus> status() {
        List<NodeStatus> all = new ArrayList<>();
        for (NodeId node : layout.nodes()) {
            all.add(status(node));
        }
        return all;
    }

    private NodeStatus status(NodeId node) {
        NodeProcess process = process(node);
        long pid = process.living().map(ProcessHandle::pid).orElse(0L);
        String state = pid == 0 ? "stopped" : process.isPaused() ? "paused" : "running";
        String admin = layout.address(node, "admin");
        return new NodeStatus(
                node.role().word(),
                node.number(),
                state,
                pid,
                state.equals("running") ? probe.ask(admin) : "",
                layout.address(node, "port"),
                admin,
                process.log());
    }

    /** Starts all that do not run, side by side. Refuses if any does. */
    void startAll() {
        List<String> running = new ArrayList<>();
        for (NodeId node : layout.nodes()) {
            process(node).living().ifPresent(handle -> running.add(node + " (pid " + handle.pid() + ")"));
        }
        if (!running.isEmpty()) {
            throw CommandFailure.taken("processes of this cluster are already running: " + String.join(", ", running)
                    + ". 'cleave cluster stop --dir " + layout.dir() + "' stops them.");
        }
        Jvm jvm = Jvm.ofThisProcess();
        layout.nodes().forEach(node -> start(node, jvm));
    }

    /** Starts one process; refuses if it runs. */
    public void start(String role, int number) {
        NodeId node = layout.node(role, number);
        process(node).living().ifPresent(handle -> {
            throw CommandFailure.taken(role + " " + number + " is already running, with pid " + handle.pid());
        });
        start(node, Jvm.ofThisProcess());
    }

    private void start(NodeId node, Jvm jvm) {
        Path config = NodeSettings.file(layout, node);
        process(node).start(jvm.withHeapOf(node.role()), List.of(node.role().word(), "--config", config.toString()));
    }

    /** Waits until all are ready; shows how far they are. */
    void awaitReady(Progress progress, Duration atMost) {
        awaitReady(layout.nodes(), progress, atMost);
    }

    public void awaitReady(String role, int number, Progress progress, Duration atMost) {
        awaitReady(List.of(layout.node(role, number)), progress, atMost);
    }

    private void awaitReady(List<NodeId> nodes, Progress progress, Duration atMost) {
        Map<NodeId, String> missing =
                new TreeMap<>(java.util.Comparator.comparing(NodeId::role).thenComparing(NodeId::number));
        boolean ready = Wait.until(() -> allReady(nodes, missing, progress), atMost, PAUSE);
        if (!ready) {
            StringBuilder text = new StringBuilder("not ready after " + atMost.toSeconds() + " s:");
            missing.forEach((node, what) -> text.append("\n  ")
                    .append(node)
                    .append(": ")
                    .append(what)
                    .append("; log: ")
                    .append(process(node).log()));
            throw CommandFailure.failed(text.toString());
        }
    }

    private boolean allReady(List<NodeId> nodes, Map<NodeId, String> missing, Progress progress) {
        missing.clear();
        for (NodeId node : nodes) {
            NodeProcess process = process(node);
            if (process.living().isEmpty()) {
                throw CommandFailure.failed(node + " ended while it started. The end of its log, " + process.log()
                        + ":\n" + process.lastLines(LOG_LINES));
            }
            String answer = probe.ask(layout.address(node, "admin"));
            if (!answer.equals("ready")) {
                missing.put(node, answer);
            }
        }
        progress.show((nodes.size() - missing.size()) + " of " + nodes.size() + " ready"
                + missing.entrySet().stream()
                        .findFirst()
                        .map(first -> "; " + first.getKey() + ": " + first.getValue())
                        .orElse(""));
        return missing.isEmpty();
    }

    /** Ends all, front ends first and the DFS last; what does not end in time is killed. How many ran. */
    public int stop() {
        int ran = 0;
        for (NodeId.Role role :
                List.of(NodeId.Role.FRONT_END, NodeId.Role.SERVER, NodeId.Role.MASTER, NodeId.Role.DFS)) {
            ran += stop(layout.nodes(role));
        }
        Deployment.remove(layout.dir());
        return ran;
    }

    private int stop(List<NodeId> nodes) {
        List<NodeProcess> running = nodes.stream()
                .map(this::process)
                .filter(process -> process.living().isPresent())
                .toList();
        running.forEach(NodeProcess::requestEnd);
        for (NodeProcess process : running) {
            if (!process.awaitEnd(STOP_PATIENCE)) {
                process.kill();
            }
        }
        return running.size();
    }

    /** SIGKILL. */
    public void kill(String role, int number) {
        process(layout.node(role, number)).kill();
    }

    /** SIGSTOP. */
    public void pause(String role, int number) {
        process(layout.node(role, number)).pause();
    }

    /** SIGCONT. */
    public void resume(String role, int number) {
        process(layout.node(role, number)).resume();
    }

    private NodeProcess process(NodeId node) {
        return new NodeProcess(node.role().word() + " " + node.number(), layout.folder(node));
    }
}
