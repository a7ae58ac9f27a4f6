package cleave.deploy.role;

import cleave.deploy.cluster.Ports;
import cleave.runtime.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Roles as their processes wire them, over TCP, in this process, each with a folder of its name. Confined to one test. */
final class RunningRoles implements AutoCloseable {
    private final Path dir;
    private final Ports ports = new Ports();
    private final Deque<RunningRole> running = new ArrayDeque<>();

    RunningRoles(Path dir) {
        this.dir = dir;
    }

    String address() {
        return "127.0.0.1:" + ports.free();
    }

    RunningRole start(Function<Settings, Function<CollectorRegistry, RunningRole>> role, Map<String, String> settings) {
        RunningRole started = role.apply(new Settings(settings)).apply(new CollectorRegistry());
        running.push(started);
        started.start();
        return started;
    }

    /** Starts a node; its URI. */
    String dfs(String name, String syncDelay) {
        String listen = address();
        start(
                Roles::dfs,
                Map.of(
                        "dfs-node.listen", listen,
                        "dfs-node.dir", dir.resolve(name).toString(),
                        "dfs-node.sync-delay", syncDelay));
        return "dfs:" + listen;
    }

    RunningRole master(String id, String listen, String raft, String peers, String dfs) {
        return start(
                Roles::master,
                Map.of(
                        "master.id", id,
                        "master.listen", listen,
                        "master.raft-listen", raft,
                        "master.peers", peers,
                        "master.dir", dir.resolve(id).toString(),
                        "dfs", dfs));
    }

    RunningRole server(String masters, String dfs, Map<String, String> more) {
        Map<String, String> settings = new TreeMap<>(more);
        settings.putAll(
                Map.of("server.id", "s1", "server.dir", dir.resolve("s1").toString(), "masters", masters, "dfs", dfs));
        return start(Roles::server, settings);
    }

    void end(RunningRole role) {
        running.remove(role);
        role.close();
    }

    @Override
    public void close() {
        running.forEach(RunningRole::close);
        ports.close();
    }
}
