package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.process.Patience;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.terminal.Wait;
import cleave.model.Row;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ServerInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Splits tables into ranges and places them, while the balancer is off: until the run ends. Confined to its thread.
 */
public final class Ranges {
    private static final Patience PATIENCE = Patience.ofSeconds(60);
    /** The balancer is off. */
    static final Map<String, String> REST =
            Map.of("balancer.split", "false", "balancer.merge", "false", "balancer.move", "false");

    private static final int SERVERS = 3;
    private static final Duration JOINED_MAX = Duration.ofSeconds(20);
    private static final Duration JOINED_LOOK = Duration.ofMillis(500);

    private final LabRun run;
    private final AdminClient admin;
    private final List<String> servers;

    private Ranges(LabRun run, List<String> servers) {
        this.run = run;
        this.admin = run.admin();
        this.servers = servers;
    }

    public static Ranges atRest(LabRun run) {
        // On a busy machine one may have been taken for dead, and joins again.
        Wait.until(() -> live(run).size() >= SERVERS, JOINED_MAX, JOINED_LOOK);
        List<String> servers = live(run);
        if (servers.size() < SERVERS) {
            throw CommandFailure.usage("this lab needs a cluster of at least three servers, and there are " + servers);
        }
        run.changeSettings(REST);
        return new Ranges(run, servers);
    }

    private static List<String> live(LabRun run) {
        return run.admin().status().getMap().getServersList().stream()
                .filter(server -> !server.getDraining())
                .map(ServerInfo::getIncarnation)
                .map(incarnation -> incarnation.getServer())
                .sorted()
                .toList();
    }

    /** The first three of the live servers. */
    public List<String> servers() {
        return servers.subList(0, SERVERS);
    }

    /** Splits the table at each of these PartitionKeys. The new ranges are placed on the first servers in turn. */
    public void spread(LabClient client, String table, List<String> keys, int over) {
        split(table, keys);
        for (int i = 0; i < keys.size(); i++) {
            move(client, table, keys.get(i), servers().get(i % over));
        }
    }

    /** Splits the table at each of these PartitionKeys. */
    public void split(String table, List<String> keys) {
        run.progress("splitting " + table + " before " + String.join(", ", keys));
        AdminSplitRequest split = AdminSplitRequest.newBuilder()
                .setAccount(run.endpoint().credential().account())
                .setTable(table)
                .addAllPartitionKeys(keys)
                .build();
        PATIENCE.until("the table is split", () -> {
            admin.split(split);
            return true;
        });
    }

    /** A number of ranges, as text. */
    static String counted(long ranges) {
        return ranges + (ranges == 1 ? " range" : " ranges");
    }

    /** Moves the range of a PartitionKey to a server. */
    private void move(LabClient client, String table, String key, String server) {
        PATIENCE.until(key + " is on " + server, () -> {
            Cost place = client.locate(table, key);
            if (place.servers().first().equals(server)) {
                return true;
            }
            admin.move(AdminMoveRequest.newBuilder()
                    .setRange(Row.parseId(place.ranges().first()))
                    .setServer(server)
                    .build());
            return false;
        });
    }
}
