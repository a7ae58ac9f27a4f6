package cleave.chaos.fault;

import cleave.chaos.fault.SdkLoad.Seen;
import cleave.chaos.load.Figures;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Restarts each process of a cluster in turn by SIGTERM, in the order of an upgrade, under clients that behave like
 * SDKs. Confined to its thread.
 */
final class RollingRestart {
    /** Processes leave as in production. */
    static final Map<String, String> DRAINS = Map.of("front-end.drain-time", "2s", "server.drain-deadline", "60s");

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int LINES_MAX = 20;

    private final Cluster cluster;
    private final SdkLoad load;
    private final boolean upgrades;
    private final Consumer<String> progress;
    private final List<Restart> restarts = new ArrayList<>();

    /** From the signal until the process was ready again and every range was served. */
    private record Restart(String role, long from, long until) {}

    /** @param upgrades true if each process is started again from this build */
    RollingRestart(Cluster cluster, SdkLoad load, boolean upgrades, Consumer<String> progress) {
        this.cluster = cluster;
        this.load = load;
        this.upgrades = upgrades;
        this.progress = progress;
    }

    /** @param from the folder of another build that the processes are started from; null for this build */
    static ClusterPlan plan(Path folder, @Nullable Path from) throws IOException {
        ClusterPlan plan = ClusterPlan.in(folder).masters(3).servers(3).frontEnds(2);
        if (from != null) {
            return plan.builtIn(from);
        }
        for (Map.Entry<String, String> drain : DRAINS.entrySet()) {
            plan = plan.set(drain.getKey(), drain.getValue());
        }
        return plan;
    }

    /** Each DFS node, server, front end and master once, the leading master last. */
    void all() {
        restart("DFS node", cluster.dfsNodes());
        restart("server", cluster.servers());
        restart("front end", cluster.frontEnds());
        int leader = cluster.leader();
        List<ChildProcess> masters = new ArrayList<>(cluster.masters());
        masters.sort(Comparator.comparing(master -> cluster.masters().indexOf(master) == leader));
        restart("master", masters.subList(0, masters.size() - 1));
        restart("leading master", masters.subList(masters.size() - 1, masters.size()));
    }

    void restart(String role, List<ChildProcess> processes) {
        for (ChildProcess process : processes) {
            progress.accept((upgrades ? "upgrading " : "restarting ") + process.name());
            long from = System.nanoTime();
            process.stop(FaultCluster.PATIENCE);
            if (upgrades) {
                cluster.upgrade(process, DRAINS);
            }
            process.start();
            cluster.awaitReady(FaultCluster.PATIENCE);
            cluster.awaitServed(FaultCluster.PATIENCE);
            restarts.add(new Restart(role, from, System.nanoTime()));
        }
    }

    /** What clients saw; only after the load has ended. */
    Report report() {
        List<Seen> seen = load.seen();
        StringBuilder text = new StringBuilder("""
                | restarted | times | operations | sent again | errors | lost | longest stall s | restart s, max |
                |---|---|---|---|---|---|---|---|
                """);
        restarts.stream().map(Restart::role).distinct().forEach(role -> text.append(row(role, seen)));
        List<Seen> failed =
                seen.stream().filter(each -> !each.error().isEmpty()).toList();
        List<Seen> lost = seen.stream().filter(each -> !each.lost().isEmpty()).toList();
        text.append(String.format(
                Locale.ROOT,
                "%nAll %,d operations, of which %,d are acknowledged writes that were read back: %d errors, %d lost;"
                        + " median %.1f ms, longest %.2f s.%n",
                seen.size(),
                load.writes(),
                failed.size(),
                lost.size(),
                distribution(seen).getValueAtPercentile(50) / (double) NANOS_PER_MILLI,
                distribution(seen).getMaxValue() / NANOS_PER_SECOND));
        failed.stream()
                .limit(LINES_MAX)
                .forEach(each -> text.append("ERROR: ").append(each.error()).append('\n'));
        lost.stream()
                .limit(LINES_MAX)
                .forEach(each -> text.append("LOST: ").append(each.lost()).append('\n'));
        return new Report(text.toString(), failed.size(), lost.size());
    }

    private String row(String role, List<Seen> seen) {
        List<Restart> its =
                restarts.stream().filter(each -> each.role().equals(role)).toList();
        List<Seen> then = seen.stream()
                .filter(each -> its.stream()
                        .anyMatch(restart -> each.begun() - restart.until() < 0 && each.ended() - restart.from() > 0))
                .toList();
        long took = its.stream()
                .mapToLong(restart -> restart.until() - restart.from())
                .max()
                .orElse(0);
        return String.format(
                Locale.ROOT,
                "| %s | %d | %,d | %d | %d | %d | %.2f | %.1f |%n",
                role,
                its.size(),
                then.size(),
                then.stream().filter(each -> each.tries() > 1).count(),
                then.stream().filter(each -> !each.error().isEmpty()).count(),
                then.stream().filter(each -> !each.lost().isEmpty()).count(),
                distribution(then).getMaxValue() / NANOS_PER_SECOND,
                took / NANOS_PER_SECOND);
    }

    private static Histogram distribution(List<Seen> seen) {
        Histogram nanos = new Histogram(Figures.DIGITS);
        seen.forEach(each -> nanos.recordValue(each.nanos()));
        return nanos;
    }

    /** The report, and whether nothing failed or was lost. */
    record Report(String text, int errors, int lost) {
        boolean isRight() {
            return errors == 0 && lost == 0;
        }
    }
}
