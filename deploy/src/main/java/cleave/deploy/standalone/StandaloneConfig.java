package cleave.deploy.standalone;

import cleave.deploy.role.ListenAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The configuration of a standalone. Immutable.
 *
 * @param data the folder of all data
 * @param listen where HTTP is served; port 0 lets the system choose
 * @param settings of the roles, which override those of this form
 */
public record StandaloneConfig(Path data, ListenAddress listen, Map<String, String> settings) {
    public StandaloneConfig {
        data = data.toAbsolutePath().normalize();
        settings = Map.copyOf(settings);
    }

    /**
     * The settings of all roles. The names inside the process are bound to the folder, which only one process can hold, so that the
     * masters' records stay right over restarts.
     */
    Map<String, String> ofRoles() {
        Map<String, String> all = new TreeMap<>();
        all.put("masters", master());
        all.put("seeds", master());
        all.put("dfs", "file:" + data.resolve("dfs"));
        all.put("master.id", "m1");
        all.put("master.listen", master());
        all.put("master.raft-listen", "127.0.0.1:0");
        all.put("master.dir", data.resolve("master").toString());
        // No other master can lead, so there is nothing to wait for.
        all.put("master.election-min", "100ms");
        all.put("master.election-max", "200ms");
        all.put("server.id", "s1");
        all.put("server.listen", "inproc:server-" + name());
        all.put("server.dir", data.resolve("server").toString());
        all.put("server.space-reserve", "100MiB"); // No other server can take its ranges.
        all.put("front-end.listen", listen.toString());
        all.put("front-end.development-account", "true");
        all.putAll(settings);
        return all;
    }

    /** False if a setting says otherwise. */
    boolean listensHere() {
        return !settings.containsKey("front-end.listen");
    }

    String master() {
        return "inproc:master-" + name();
    }

    private String name() {
        return Integer.toHexString(data.toString().hashCode());
    }
}
