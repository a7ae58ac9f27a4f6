package cleave.chaos.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a cluster of processes consists of. Immutable.
 *
 * @param founders the first of the masters, with whom the cluster is founded
 * @param settings more settings; each goes to the role that its key begins with
 * @param jvmOptions of every process
 */
public record ClusterPlan(
        Path folder,
        int masters,
        int founders,
        int servers,
        int frontEnds,
        int dfsNodes,
        Map<String, String> settings,
        List<String> jvmOptions) {
    /** Small and quick to start: for tests, which run many processes on few cores. */
    private static final List<String> FRUGAL = List.of(
            "-Xmx256m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:MaxDirectMemorySize=256m");

    public ClusterPlan {
        settings = Map.copyOf(settings);
        jvmOptions = List.copyOf(jvmOptions);
    }

    /** The smallest whole cluster. */
    public static ClusterPlan in(Path folder) {
        return new ClusterPlan(folder, 1, 1, 1, 1, 1, Map.of(), FRUGAL);
    }

    public ClusterPlan masters(int count) {
        return new ClusterPlan(folder, count, count, servers, frontEnds, dfsNodes, settings, jvmOptions);
    }

    /** More masters, which are not started with the others; their settings and those of the others do not name each other. */
    public ClusterPlan moreMasters(int count) {
        return new ClusterPlan(folder, founders + count, founders, servers, frontEnds, dfsNodes, settings, jvmOptions);
    }

    public ClusterPlan servers(int count) {
        return new ClusterPlan(folder, masters, founders, count, frontEnds, dfsNodes, settings, jvmOptions);
    }

    public ClusterPlan frontEnds(int count) {
        return new ClusterPlan(folder, masters, founders, servers, count, dfsNodes, settings, jvmOptions);
    }

    public ClusterPlan set(String key, String value) {
        Map<String, String> more = new TreeMap<>(settings);
        more.put(key, value);
        return new ClusterPlan(folder, masters, founders, servers, frontEnds, dfsNodes, more, jvmOptions);
    }

    /** As for real use: the JVM's own choices, but for the heap. */
    public ClusterPlan atFullSpeed(String heap) {
        return new ClusterPlan(
                folder,
                masters,
                founders,
                servers,
                frontEnds,
                dfsNodes,
                settings,
                List.of("-Xmx" + heap, "-XX:+UseParallelGC"));
    }

    private static boolean isOf(String role, String key) {
        return switch (role) {
            case "dfs" -> key.startsWith("dfs-node.");
            case "server" -> key.startsWith("server.") || key.startsWith("throttle.partition-");
            case "front-end" -> key.startsWith("front-end.") || key.startsWith("throttle.account-");
            default -> key.startsWith(role + ".");
        };
    }

    List<String> arguments(String role, Map<String, String> own) {
        Map<String, String> all = new TreeMap<>(own);
        settings.forEach((key, value) -> {
            if (isOf(role, key)) {
                all.put(key, value);
            }
        });
        List<String> arguments = new ArrayList<>(List.of(role));
        all.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
        return arguments;
    }
}
