package cleave.board.scrape;

import cleave.board.frame.Parties.DfsPart;
import cleave.board.frame.Parties.FrontEnd;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rates and quantiles of what two scrapes of a process tell. Pure. A counter that has become less began anew: its process was started
 * again.
 */
public final class Figures {
    private static final String REQUESTS = "cleave_front_end_requests_total";
    private static final String LATENCY = "cleave_front_end_request_seconds";
    private static final String FREE = "cleave_dfs_disk_free_bytes";
    private static final String APPENDED = "cleave_dfs_appended_bytes_total";
    /** 0: enough. 1: short. 2: full. */
    private static final String SPACE = "cleave_dfs_disk_space_state";

    private static final String READY = "cleave_ready";
    private static final String BOOKIE_WRITTEN = "bookie_WRITE_BYTES";
    /** 1: it takes data. 0: it is read-only. */
    private static final String BOOKIE_STATUS = "bookie_SERVER_STATUS";

    private static final String STALLED = "cleave_server_stores_stalled";
    /** All samples that it looks at. */
    public static final Set<String> NAMES =
            Set.of(REQUESTS, LATENCY + "_bucket", FREE, APPENDED, SPACE, READY, BOOKIE_WRITTEN, BOOKIE_STATUS, STALLED);

    /** Operations on single entities: scans are slow by nature, and would hide them. */
    private static final String[] CLASSES = {"class=\"none\"", "class=\"point\""};

    private static final double MICROS = 1e6;

    private Figures() {}

    /** @param before an earlier scrape of the same process; null: there is none, so nothing has a rate */
    public static FrontEnd frontEnd(@Nullable Scrape before, Scrape now) {
        Metrics metrics = now.metrics();
        if (metrics == null) {
            return new FrontEnd(now.target().id(), now.target().admin(), false, 0, 0, 0, 0);
        }
        NavigableMap<Double, Double> latencies = new TreeMap<>();
        for (String kind : CLASSES) {
            Map<Double, Double> earlier = before == null || before.metrics() == null
                    ? metrics.buckets(LATENCY, kind)
                    : before.metrics().buckets(LATENCY, kind);
            metrics.buckets(LATENCY, kind)
                    .forEach((bound, count) ->
                            latencies.merge(bound, since(earlier.getOrDefault(bound, 0.0), count), Double::sum));
        }
        return new FrontEnd(
                now.target().id(),
                now.target().admin(),
                true,
                rate(before, now, REQUESTS),
                rate(before, now, REQUESTS, "outcome=\"5"),
                Math.round(quantile(latencies, 0.5) * MICROS),
                Math.round(quantile(latencies, 0.99) * MICROS));
    }

    /** Of a node of Cleave's DFS, or of a bookie: one of {@code cleave engine} tells no more than whether it is ready. */
    public static DfsPart dfs(@Nullable Scrape before, Scrape now) {
        boolean isNode = now.target().kind() == Scrape.Kind.DFS;
        String kind = isNode ? "node" : "bookie";
        String written = isNode ? APPENDED : BOOKIE_WRITTEN;
        Metrics metrics = now.metrics();
        if (metrics == null) {
            return new DfsPart(now.target().id(), kind, false, "", -1, -1);
        }
        return new DfsPart(
                now.target().id(),
                kind,
                true,
                state(metrics),
                metrics.has(FREE) ? Math.round(metrics.sum(FREE)) : -1,
                metrics.has(written) ? Math.round(rate(before, now, written)) : -1);
    }

    private static String state(Metrics metrics) {
        double space = metrics.sum(SPACE);
        if (space > 0) {
            return space > 1 ? "full: appends wait" : "short of space: writes are refused";
        }
        if (metrics.has(BOOKIE_STATUS) && metrics.sum(BOOKIE_STATUS) < 1) {
            return "read-only";
        }
        return metrics.has(READY) && metrics.sum(READY) < 1 ? "not ready" : "";
    }

    /** The stores of a server that take no writes until they have flushed or compacted. */
    public static long stalledStores(Scrape now) {
        return now.metrics() == null ? 0 : Math.round(now.metrics().sum(STALLED));
    }

    /** A counter's growth a second, over all samples that hold these label texts. */
    private static double rate(@Nullable Scrape before, Scrape now, String name, String... labels) {
        if (before == null || before.metrics() == null || now.metrics() == null || now.t() <= before.t()) {
            return 0;
        }
        double grown = since(before.metrics().sum(name, labels), now.metrics().sum(name, labels));
        return grown * 1000 / (now.t() - before.t());
    }

    private static double since(double before, double now) {
        return now < before ? now : now - before;
    }

    /**
     * The value below which a part of all observations lies, as Prometheus' {@code histogram_quantile} estimates it; 0 without any.
     *
     * @param buckets how many were at most each bound
     */
    static double quantile(NavigableMap<Double, Double> buckets, double part) {
        if (buckets.isEmpty() || buckets.lastEntry().getValue() <= 0) {
            return 0;
        }
        double rank = part * buckets.lastEntry().getValue();
        double lower = 0;
        double below = 0;
        for (Map.Entry<Double, Double> bucket : buckets.entrySet()) {
            if (bucket.getValue() >= rank) {
                double count = bucket.getValue() - below;
                return Double.isInfinite(bucket.getKey()) || count <= 0
                        ? lower
                        : lower + (bucket.getKey() - lower) * (rank - below) / count;
            }
            lower = bucket.getKey();
            below = bucket.getValue();
        }
        return lower;
    }
}
