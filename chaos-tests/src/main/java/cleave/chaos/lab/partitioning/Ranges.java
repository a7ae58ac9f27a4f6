package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabTable;
import cleave.chaos.process.Patience;
import cleave.deploy.admin.AdminClient;
import cleave.model.Row;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ServerInfo;
import cleave.wire.Setting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Splits a table into ranges and places them, while the balancer rests; it works again, with the settings that it had, when this is closed.
 * Confined to its thread.
 */
final class Ranges implements AutoCloseable {
    private static final Patience PATIENCE = Patience.ofSeconds(60);
    private static final List<String> SWITCHES = List.of("balancer.split", "balancer.merge", "balancer.move");

    private final LabRun run;
    private final AdminClient admin;
    private final Map<String, String> before;
    private final List<String> servers;

    private Ranges(LabRun run, List<String> servers, Map<String, String> before) {
        this.run = run;
        this.admin = run.admin();
        this.servers = servers;
        this.before = before;
    }

    static Ranges atRest(LabRun run) {
        List<String> servers = run.admin().status().getMap().getServersList().stream()
                .filter(server -> !server.getDraining())
                .map(ServerInfo::getIncarnation)
                .map(incarnation -> incarnation.getServer())
                .sorted()
                .toList();
        if (servers.size() < 3) {
            throw new IllegalStateException(
                    "this lab needs a cluster of at least three servers, and there are " + servers);
        }
        Map<String, String> before = new HashMap<>();
        for (Setting setting : run.admin().settings()) {
            if (SWITCHES.contains(setting.getName())) {
                before.put(setting.getName(), setting.getValue());
            }
        }
        Ranges ranges = new Ranges(run, servers, before);
        Map<String, String> off = new HashMap<>();
        SWITCHES.forEach(name -> off.put(name, "false"));
        run.admin().change(off);
        return ranges;
    }

    /** The first three of the live servers. */
    List<String> servers() {
        return servers.subList(0, 3);
    }

    /** Makes each of these PartitionKeys begin a range, and spreads these ranges over the three servers in turn. */
    void spread(LabTable table, List<String> keys) {
        run.progress("splitting " + table.name() + " before " + String.join(", ", keys));
        AdminSplitRequest split = AdminSplitRequest.newBuilder()
                .setAccount(run.endpoint().credential().account())
                .setTable(table.name())
                .addAllPartitionKeys(keys)
                .build();
        PATIENCE.until("the table is split", () -> {
            admin.split(split);
            return true;
        });
        for (int i = 0; i < keys.size(); i++) {
            move(table, keys.get(i), servers().get(i % servers().size()));
        }
    }

    /** Moves the range of a PartitionKey to a server. */
    void move(LabTable table, String key, String server) {
        PATIENCE.until(key + " is on " + server, () -> {
            Cost place = table.place(key);
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

    @Override
    public void close() {
        admin.change(before);
    }
}
