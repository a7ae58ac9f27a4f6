package cleave.master.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import java.util.function.Supplier;

/** Gauges that are read from Raft by each scrape, on its thread. Thread-safe. */
final class RaftGauges extends Collector implements Collector.Describable {
    private volatile Supplier<RaftFigures> raft = () -> RaftFigures.NONE;

    /** From now on this is asked. */
    void of(Supplier<RaftFigures> asked) {
        raft = asked;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return families(raft.get());
    }

    @Override
    public List<MetricFamilySamples> describe() {
        return families(RaftFigures.NONE);
    }

    private static List<MetricFamilySamples> families(RaftFigures now) {
        GaugeMetricFamily cluster = new GaugeMetricFamily(
                "cleave_master_cluster_info",
                "1, with the id of the cluster that this master belongs to.",
                List.of("cluster"));
        if (!now.cluster().isEmpty()) {
            cluster.addMetric(List.of(now.cluster()), 1);
        }
        GaugeMetricFamily behind = new GaugeMetricFamily(
                "cleave_master_raft_member_behind",
                "Entries of the log that another member lacks, as the leader knows.",
                List.of("member"));
        GaugeMetricFamily silent = new GaugeMetricFamily(
                "cleave_master_raft_member_silent_seconds",
                "Time since another member was heard: by the leader each follower, by a follower its leader.",
                List.of("member"));
        for (RaftFigures.Member each : now.others()) {
            if (each.behind() >= 0) {
                behind.addMetric(List.of(each.id()), (double) each.behind());
            }
            silent.addMetric(List.of(each.id()), each.silentMillis() / 1e3);
        }
        return List.of(
                cluster,
                new GaugeMetricFamily("cleave_master_raft_term", "The current term of Raft.", (double) now.term()),
                new GaugeMetricFamily(
                        "cleave_master_raft_applied_index", "Index of the last entry applied.", (double) now.applied()),
                new GaugeMetricFamily(
                        "cleave_master_raft_pending",
                        "Commands proposed here that wait for their answer.",
                        now.pending()),
                behind,
                silent);
    }
}
