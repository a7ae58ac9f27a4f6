package cleave.chaos.conformance.golden;

import cleave.chaos.process.Cluster;
import cleave.client.Endpoint;
import cleave.exchanges.Scene;
import cleave.exchanges.Stage;
import java.io.IOException;
import java.util.List;

/**
 * A cluster as one scene meets it: each exchange by another front end, and each partition that the scene begins with in a range
 * of its own. Front ends remember policies and properties for a while, so a scene that sets them has one front end for all.
 */
final class ClusterStage implements Stage {
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
    public Answered exchange(byte[] request) throws IOException {
        List<Endpoint> frontEnds = scene.isSecure() ? cluster.secureEndpoints() : cluster.endpoints();
        int port = frontEnds.get(turn % frontEnds.size()).port();
        turn += setsWhatIsRemembered() ? 0 : 1;
        return Wire.exchange(files.connect(port, scene.isSecure()), request);
    }

    private boolean setsWhatIsRemembered() {
        return scene.exchanges().stream()
                .anyMatch(exchange -> exchange.request().matches("PUT .*[?&]comp=.*"));
    }

    @Override
    public void prepared() {
        scene.splits().forEach((table, partitions) -> cluster.split(scene.account(), table, List.copyOf(partitions)));
    }
}
