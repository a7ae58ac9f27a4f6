package cleave.deploy.role;

import cleave.dfs.settings.DfsNodeConfig;
import cleave.frontend.settings.FrontEndConfig;
import cleave.master.settings.MasterConfig;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.tls.PeerRole;
import cleave.server.settings.ServerConfig;
import java.util.Map;

/** The settings of a role, before a process is started with them. Stateless. */
public final class SettingsCheck {
    /** A heap that is enough for all settings that could be right; the real one is known in the process alone. */
    private static final long HEAP_BYTES = 64L << 30;

    private SettingsCheck() {}

    /**
     * Refuses settings with which a process of the role would not start, however much memory it has.
     *
     * @throws Settings.BadSetting which names the setting
     */
    public static void check(PeerRole role, Map<String, String> given) {
        Settings settings = new Settings(given);
        RoleCommand.admin(settings);
        try (Transport transport = Peers.transport(settings, role)) {
            switch (role) {
                case DFS ->
                    transport.checkListen(
                            "dfs-node.listen", DfsNodeConfig.from(settings).listen());
                case MASTER -> {
                    MasterConfig config = MasterConfig.from(settings);
                    transport.checkListen("master.listen", config.listen());
                    transport.checkListen("master.raft-listen", config.raftListen());
                    SharedDfs.from(settings);
                }
                case SERVER -> {
                    transport.checkListen(
                            "server.listen", ServerConfig.from(settings).listen());
                    Roles.drainNanos(settings);
                    SharedDfs.from(settings);
                }
                case FRONT_END -> FrontEndConfig.from(settings, HEAP_BYTES, Long.MAX_VALUE);
                case ADMIN, VIEWER -> throw new IllegalArgumentException("no process has the role " + role);
            }
        }
        settings.refuseUnknown();
    }
}
