package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.Golden;
import cleave.runtime.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Every setting of a role's process, so that a change of them is reviewed. */
class ConfigKeysTest {
    private static void check(
            String role,
            Map<String, String> needed,
            Function<Settings, Function<CollectorRegistry, RunningRole>> configure)
            throws IOException {
        Settings settings = new Settings(needed);
        RoleCommand.admin(settings);
        assertThat(configure.apply(settings)).isNotNull();
        settings.refuseUnknown();
        Golden.check("settings-of-" + role + ".txt", String.join("\n", settings.known()) + "\n");
    }

    @Test
    void theKeysOfAMasterAreAsReviewed() throws IOException {
        check("master", Map.of("dfs", "file:/d"), Roles::master);
    }

    @Test
    void theKeysOfAServerAreAsReviewed() throws IOException {
        check(
                "server",
                Map.of("server.id", "s1", "server.dir", "d", "masters", "h:1", "dfs", "file:/d"),
                Roles::server);
    }

    @Test
    void theKeysOfAFrontEndAreAsReviewed() throws IOException {
        check("front-end", Map.of("masters", "h:1", "front-end.development-account", "true"), Roles::frontEnd);
    }

    @Test
    void theKeysOfADfsNodeAreAsReviewed() throws IOException {
        check("dfs", Map.of("dfs-node.dir", "d"), Roles::dfs);
    }
}
