package cleave.chaos.conformance.golden;

import cleave.chaos.conformance.golden.Scene.Exchange;
import cleave.chaos.process.Cluster;
import cleave.client.Endpoint;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A cluster as one scene meets it: each exchange by another front end, and each partition that the scene begins with in a range
 * of its own. Front ends remember policies and properties for a while, so a scene that sets them has one front end for all.
 */
final class ClusterStage implements Stage {
    private static final Pattern PARTITION = Pattern.compile("\"PartitionKey\":\"([^\"]*)\"");
    private static final Pattern INSERT = Pattern.compile("POST /(?!Tables)([A-Za-z0-9]+)");

    private final Scene scene;
    private final Cluster cluster;
    private final ServerFiles files;
    private int turn;

    /** @param turn whose of the front ends it is */
    ClusterStage(Scene scene, Cluster cluster, ServerFiles files, int turn) {
        this.scene = scene;
        this.cluster = cluster;
        this.files = files;
        this.turn = turn;
    }

    @Override
    public Socket connect() throws IOException {
        List<Endpoint> frontEnds = scene.isSecure() ? cluster.secureEndpoints() : cluster.endpoints();
        int port = frontEnds.get(turn % frontEnds.size()).port();
        turn += setsWhatIsRemembered() ? 0 : 1;
        return files.connect(port, scene.isSecure());
    }

    private boolean setsWhatIsRemembered() {
        return scene.exchanges().stream()
                .anyMatch(exchange -> exchange.request().matches("PUT .*[?&]comp=.*"));
    }

    @Override
    public void prepared() {
        splits(scene).forEach((table, partitions) -> cluster.split(scene.account(), table, List.copyOf(partitions)));
    }

    /** Where the tables that a scene begins with are split. */
    static Map<String, SortedSet<String>> splits(Scene scene) {
        Map<String, SortedSet<String>> tables = new TreeMap<>();
        scene.exchanges().stream().takeWhile(Exchange::prepares).forEach(exchange -> {
            Matcher insert = INSERT.matcher(exchange.request());
            Matcher partition = PARTITION.matcher(exchange.sent().body());
            if (insert.matches() && partition.find()) {
                tables.computeIfAbsent(insert.group(1), table -> new TreeSet<>())
                        .add(partition.group(1));
            }
        });
        tables.values().forEach(partitions -> partitions.remove(partitions.first()));
        tables.values().removeIf(Set::isEmpty);
        return tables;
    }
}
