package cleave.chaos.process;

import cleave.deploy.cluster.DfsPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The parts of a cluster of processes. Immutable.
 *
 * @param founders the first of the masters, with which the cluster is founded
 * @param settings more settings, each for the role that its key begins with
 * @param jvmOptions of every process
 * @param classPath of the build that the processes run until they are upgraded; empty: that of this process
 */
public record ClusterPlan(
        Path folder,
        int masters,
        int founders,
        int servers,
        int frontEnds,
        DfsPlan dfs,
        Map<String, String> settings,
        List<String> jvmOptions,
        String classPath) {
    /** Small and quick to start: for tests, which run many processes on few cores. */
    private static final List<String> FRUGAL = List.of(
            "-Xmx256m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:MaxDirectMemorySize=256m");

    public ClusterPlan {
        settings = Map.copyOf(settings);
        jvmOptions = List.copyOf(jvmOptions);
    }

    /** The smallest whole cluster. */
    public static ClusterPlan in(Path folder) {
        return new ClusterPlan(folder, 1, 1, 1, 1, DfsPlan.STUB, Map.of(), FRUGAL, "");
    }

    public ClusterPlan masters(int count) {
        return new ClusterPlan(folder, count, count, servers, frontEnds, dfs, settings, jvmOptions, classPath);
    }

    /** More masters, which are not started with the others; their settings and those of the others do not name each other. */
    public ClusterPlan moreMasters(int count) {
        return new ClusterPlan(
                folder, founders + count, founders, servers, frontEnds, dfs, settings, jvmOptions, classPath);
    }

    public ClusterPlan servers(int count) {
        return new ClusterPlan(folder, masters, founders, count, frontEnds, dfs, settings, jvmOptions, classPath);
    }

    public ClusterPlan frontEnds(int count) {
        return new ClusterPlan(folder, masters, founders, servers, count, dfs, settings, jvmOptions, classPath);
    }

    public ClusterPlan dfs(DfsPlan plan) {
        return new ClusterPlan(folder, masters, founders, servers, frontEnds, plan, settings, jvmOptions, classPath);
    }

    public ClusterPlan set(String key, String value) {
        Map<String, String> more = new TreeMap<>(settings);
        more.put(key, value);
        return new ClusterPlan(folder, masters, founders, servers, frontEnds, dfs, more, jvmOptions, classPath);
    }

    /** Leaves the JVM its own choices, as in production, except for the heap. */
    public ClusterPlan atFullSpeed(String heap) {
        List<String> options = List.of("-Xmx" + heap, "-XX:+UseParallelGC");
        return new ClusterPlan(folder, masters, founders, servers, frontEnds, dfs, settings, options, classPath);
    }

    /** More options of every JVM. */
    public ClusterPlan withJvmOptions(List<String> more) {
        List<String> options = Stream.concat(jvmOptions.stream(), more.stream()).toList();
        return new ClusterPlan(folder, masters, founders, servers, frontEnds, dfs, settings, options, classPath);
    }

    /**
     * The processes begin as those of another build.
     *
     * @param build folder of its sources, where {@code ./cleave} or Maven built it
     */
    public ClusterPlan builtIn(Path build) throws IOException {
        String jars = ClassArchive.jarsOf(build);
        return new ClusterPlan(folder, masters, founders, servers, frontEnds, dfs, settings, jvmOptions, jars);
    }
}
