package cleave.deploy.engine;

import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics of the server of ZooKeeper in this process, from its command {@code mntr}, which each scrape sends. Each keeps its name, with
 * {@code zookeeper_} for {@code zk_}. Immutable.
 */
final class ZooKeeperMetrics extends Collector implements Collector.Describable {
    private static final Pattern FIGURE = Pattern.compile("zk_([a-z0-9_]+)\\t(-?[0-9.]+(?:E-?\\d+)?)");

    private final ZooKeeperProbe server;

    ZooKeeperMetrics(ZooKeeperProbe server) {
        this.server = server;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        try {
            return families(server.answer("mntr"));
        } catch (IOException silent) {
            return List.of();
        }
    }

    /** None, since the metrics depend on ZooKeeper's version. */
    @Override
    public List<MetricFamilySamples> describe() {
        return List.of();
    }

    static List<MetricFamilySamples> families(String answer) {
        List<MetricFamilySamples> families = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>();
        for (String line : answer.split("\n")) {
            Matcher figure = FIGURE.matcher(line.strip());
            if (figure.matches() && names.add(figure.group(1))) {
                families.add(new GaugeMetricFamily(
                        "zookeeper_" + figure.group(1),
                        "zk_" + figure.group(1) + " of ZooKeeper's mntr.",
                        Double.parseDouble(figure.group(2))));
            }
        }
        return families;
    }
}
