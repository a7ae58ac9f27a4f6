package cleave.deploy.role;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import io.prometheus.client.CollectorRegistry;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** The objections of a role's process to settings, without its being started. Stateless. */
public final class RoleSettings {
    private static final Map<String, Function<Settings, Function<CollectorRegistry, RunningRole>>> ROLES =
            Map.of("dfs", Roles::dfs, "master", Roles::master, "server", Roles::server, "front-end", Roles::frontEnd);

    private RoleSettings() {}

    /** Why the process would not start; empty if it would. Certificates are not looked at: they are not here. */
    public static Optional<String> fault(String role, Map<String, String> given) {
        Map<String, String> known = new TreeMap<>(given);
        if (known.containsKey(Peers.TLS) && known.put(Peers.INSECURE_NETWORK, "true") != null) {
            return Optional.of("settings tls and insecure-network are both given");
        }
        known.remove(Peers.TLS);
        Settings settings = new Settings(known);
        try {
            RoleCommand.admin(settings);
            if (Objects.requireNonNull(ROLES.get(role), role).apply(settings) == null) {
                return Optional.of("there is no " + role);
            }
            settings.refuseUnknown();
            return Optional.empty();
        } catch (BadSetting wrong) {
            return Optional.of(String.valueOf(wrong.getMessage()));
        }
    }
}
