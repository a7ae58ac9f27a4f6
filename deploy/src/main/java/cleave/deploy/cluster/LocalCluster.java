package cleave.deploy.cluster;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Request;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.OwnersFile;
import cleave.deploy.links.Link;
import cleave.deploy.links.Links;
import cleave.deploy.links.LinksFile;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.Wait;
import cleave.runtime.rpc.Address;
import cleave.runtime.tls.PeerRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The processes of a cluster on this machine, by its folder. Confined to the command's thread. */
public final class LocalCluster {
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(1);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(15);
    private static final int LOG_LINES = 20;

    private final Layout layout;

    LocalCluster(Layout layout) {
        this.layout = layout;
    }

    /** The cluster that was made in this folder. */
    public static LocalCluster in(Path dir) {
        return new LocalCluster(Layout.load(dir));
    }

    /** The status of one process. {@code state}: running, paused or stopped; {@code readiness} is empty unless it is running. */
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
        return new NodeStatus(
                node.role().word(),
                node.number(),
                state,
                pid,
                state.equals("running") ? ask(node) : "",
                address(node, "port"),
                address(node, "admin"),
                process.log());
    }

    private String address(NodeId node, String purpose) {
        return node.role().purposes().contains(purpose) ? layout.address(node, purpose) : "-";
    }

    /** {@code ready}, or what is missing. */
    private String ask(NodeId node) {
        if (node.role().isOfBookKeeper()) {
            return new Engine(layout).ask(node);
        }
        boolean isBoard = node.role() == NodeId.Role.BOARD;
        Address asked = Address.parse(layout.address(node, isBoard ? "port" : "admin"));
        try (Connection connection = Connection.open(asked.name(), asked.port(), PROBE_PATIENCE)) {
            Answer answer = connection.exchange(
                    Request.of("GET", isBoard ? "/" : "/readyz").with("Connection", "close"));
            return answer.status() == 200 ? "ready" : answer.text().strip();
        } catch (IOException silent) {
            return "its " + (isBoard ? "page" : "admin port") + " does not answer";
        }
    }

    /** Starts all processes: BookKeeper's first, until they are ready, then the others side by side. Refuses if any runs. */
    void startAll(Progress progress, Duration atMost) {
        List<String> running = new ArrayList<>();
        for (NodeId node : layout.nodes()) {
            process(node).living().ifPresent(handle -> running.add(node + " (pid " + handle.pid() + ")"));
        }
        if (!running.isEmpty()) {
            throw CommandFailure.taken("processes of this cluster are already running: " + String.join(", ", running)
                    + ". 'cleave cluster stop --dir " + layout.dir() + "' stops them.");
        }
        Jvm jvm = jvm();
        if (layout.dfs() == DfsKind.BOOKKEEPER) {
            new Engine(layout).start(jvm, new Engine.Nodes() {
                @Override
                public void start(NodeId node) {
                    LocalCluster.this.start(node, jvm);
                }

                @Override
                public void awaitReady(List<NodeId> nodes) {
                    LocalCluster.this.awaitReady(nodes, progress, atMost);
                }
            });
        }
        layout.nodes().stream().filter(node -> !node.role().isOfBookKeeper()).forEach(node -> start(node, jvm));
    }

    private Jvm jvm() {
        Jvm own = Jvm.ofThisProcess();
        return layout.dfs() == DfsKind.BOOKKEEPER ? own.withBookKeeper() : own;
    }

    /** Starts one process; refuses if it runs. */
    public void start(String role, int number) {
        NodeId node = layout.node(role, number);
        process(node).living().ifPresent(handle -> {
            throw CommandFailure.taken(role + " " + number + " is already running, with pid " + handle.pid());
        });
        start(node, jvm());
    }

    private void start(NodeId node, Jvm jvm) {
        process(node).start(launch(node, jvm));
    }

    private Launch launch(NodeId node, Jvm jvm) {
        if (node.role().isOfBookKeeper()) {
            return new Engine(layout).launch(node, jvm);
        }
        if (node.role() == NodeId.Role.BOARD) {
            return Launch.cleave(jvm.withHeapOf(node.role()), board(node));
        }
        Path config = NodeSettings.file(layout, node);
        Jvm own = jvm.withHeapOf(node.role());
        return Launch.cleave(
                links().exists() ? own.with("-D" + Links.FILE + "=" + links().file()) : own,
                List.of(node.role().word(), "--config", config.toString()));
    }

    private List<String> board(NodeId node) {
        List<String> words = new ArrayList<>(List.of("board", "--listen", layout.address(node, "port")));
        words.addAll(List.of("--masters", String.join(",", layout.addresses(NodeId.Role.MASTER))));
        Path viewer = NodeSettings.tls(layout, PeerRole.VIEWER);
        boolean isItsOwn = viewer != null && viewer.endsWith(PeerRole.VIEWER.word());
        Path certificates = isItsOwn ? viewer : NodeSettings.tls(layout, PeerRole.ADMIN);
        words.addAll(List.of("--tls", certificates == null ? "" : certificates.toString()));
        words.addAll(List.of("--data", layout.folder(node).resolve("data").toString()));
        Path token = adminToken(node);
        if (Files.exists(token)) {
            words.addAll(List.of("--play", "--dir", layout.dir().toString(), "--admin-token-file", token.toString()));
        }
        for (NodeId dfs : layout.nodes(NodeId.Role.DFS)) {
            words.addAll(List.of("--scrape", "dfs=" + layout.address(dfs, "admin")));
        }
        for (NodeId frontEnd : layout.nodes(NodeId.Role.FRONT_END)) {
            words.addAll(List.of("--scrape", "front-end=" + layout.address(frontEnd, "admin")));
        }
        return words;
    }

    /** The file of the token with which this cluster may be played with; without it nobody may. */
    private Path adminToken(NodeId board) {
        return layout.folder(board).resolve("admin-token");
    }

    /**
     * From its next start on the board lets those play who have this token, and the links between processes that are started from now on can be cut;
     * null: nobody plays.
     */
    void letPlay(NodeId board, @Nullable String token) {
        try {
            if (token == null) {
                Files.deleteIfExists(adminToken(board));
                links().remove();
            } else {
                OwnersFile.write(adminToken(board), token + "\n");
                links().make(servedAt());
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Which links between its processes are cut. There is such a file in a cluster that is played with. */
    private LinksFile links() {
        return new LinksFile(layout.folder(new NodeId(NodeId.Role.BOARD, 1)).resolve("links"));
    }

    /** The names of the processes that call each other, by their addresses. */
    private Map<String, String> servedAt() {
        Map<String, String> nodes = new TreeMap<>();
        for (NodeId node : layout.nodes()) {
            if (!node.role().partners().isEmpty()) {
                node.role().purposes().stream()
                        .filter(purpose -> !purpose.equals("admin"))
                        .forEach(purpose -> nodes.put(layout.address(node, purpose), node.toString()));
            }
        }
        return nodes;
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
        refuseEnded(nodes);
        for (NodeId node : nodes) {
            String answer = hasGivenUp(node) ? "ready" : ask(node);
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

    /** A board that ended is shown as stopped, and keeps nobody from using the cluster. */
    private boolean hasGivenUp(NodeId node) {
        return node.role() == NodeId.Role.BOARD && process(node).living().isEmpty();
    }

    private void refuseEnded(List<NodeId> nodes) {
        for (NodeId node : nodes) {
            NodeProcess process = process(node);
            if (process.living().isEmpty() && !hasGivenUp(node)) {
                throw CommandFailure.failed(node + " ended while it started. The end of its log, " + process.log()
                        + ":\n" + process.lastLines(LOG_LINES));
            }
        }
    }

    /** Waits for a result that needs all processes; if one of them ends before, it fails at once. */
    <T> T await(CompletableFuture<T> result) {
        while (true) {
            refuseEnded(layout.nodes());
            try {
                return result.get(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                // The future completes in bounded time.
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof RuntimeException known ? known : new IllegalStateException(failed);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw CommandFailure.failed("interrupted");
            }
        }
    }

    /**
     * Ends all processes, role by role, front ends first and the DFS last; those that do not end in time are killed. Answers how many ran.
     */
    public int stop() {
        int ran = 0;
        List<NodeId.Role> roles = new ArrayList<>(List.of(NodeId.Role.values()));
        Collections.reverse(roles);
        for (NodeId.Role role : roles) {
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

    /** Ends one process in order; if it does not end in time, it is killed. */
    public void end(String role, int number) {
        stop(List.of(layout.node(role, number)));
    }

    /** True if the cluster has such a process. */
    public boolean has(String role, String number) {
        return layout.nodes().stream()
                .anyMatch(node -> node.role().word().equals(role)
                        && Integer.toString(node.number()).equals(number));
    }

    /** True if what such a process has on its disk can be lost: the cluster has it elsewhere, too. */
    public static boolean canBeWiped(String role) {
        return role.equals(NodeId.Role.SERVER.word()) || role.equals(NodeId.Role.BOOKIE.word());
    }

    /**
     * Destroys a bookie's data, or the stores of a server, which can be fetched again. The process must be stopped.
     *
     * @param isForced also if the last copy of some data may be there
     */
    public void wipe(String role, int number, boolean isForced) {
        NodeId node = layout.node(role, number);
        if (!canBeWiped(role)) {
            throw CommandFailure.usage("only the disk of a bookie or a server can be wiped, not that of a " + role);
        }
        process(node).living().ifPresent(handle -> {
            throw CommandFailure.taken(role + " " + number + " is running, with pid " + handle.pid()
                    + ". 'cleave cluster kill --dir " + layout.dir() + " " + role + " " + number + "' ends it.");
        });
        if (node.role() == NodeId.Role.SERVER) {
            EngineTool.remove(layout.folder(node).resolve("data"));
            return;
        }
        Engine engine = new Engine(layout);
        if (isForced) {
            engine.destroy(node);
        } else {
            engine.wipe(node, jvm());
        }
    }

    /** SIGSTOP. */
    public void pause(String role, int number) {
        process(layout.node(role, number)).pause();
    }

    /** SIGCONT. */
    public void resume(String role, int number) {
        process(layout.node(role, number)).resume();
    }

    /** True if links between its processes can be cut: they were started to be played with. */
    public boolean hasLinks() {
        return links().exists();
    }

    /** The names, such as {@code master-2}, of the processes to which a process has links that can be cut. */
    public List<String> partners(String role, int number) {
        NodeId node = layout.node(role, number);
        return !hasLinks()
                ? List.of()
                : layout.nodes().stream()
                        .filter(each -> node.role().partners().contains(each.role()) && !each.equals(node))
                        .map(NodeId::toString)
                        .toList();
    }

    public List<Link> cutLinks() {
        return links().cut();
    }

    /**
     * Cuts links of a process: what the processes send each other is held back, in both directions, and so are new connections. Only links to its
     * {@link #partners} can be cut.
     */
    public void cut(String role, int number, List<String> others) {
        links().cut(layout.node(role, number).toString(), others);
    }

    /** Heals links of a process: connections that hang break, and new ones are made. */
    public void heal(String role, int number, List<String> others) {
        links().heal(layout.node(role, number).toString(), others);
    }

    public void healAll() {
        links().healAll();
    }

    private NodeProcess process(NodeId node) {
        return new NodeProcess(node.role().word() + " " + node.number(), layout.folder(node));
    }
}
