package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.wire.Setting;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code cleave admin settings}. */
@Command(
        name = "settings",
        mixinStandardHelpOptions = true,
        header = "settings of the balancer, which the masters replicate",
        description = {
            "Settings files only give a new cluster its first values; from then on the replicated values apply, and 'set'"
                    + " changes them at once."
        },
        subcommands = {SettingsCommand.Get.class, SettingsCommand.Set.class},
        footer = {
            "EXAMPLES",
            "",
            "  cleave admin settings",
            "  cleave admin settings get balancer.split-load",
            "  cleave admin settings set balancer.split-load=500 balancer.merge-window=30s"
        })
final class SettingsCommand extends AdminAction {
    @Override
    void act(AdminClient client) {
        mustPrint(text(client.settings()));
    }

    private static String text(List<Setting> settings) {
        StringBuilder text = new StringBuilder();
        settings.forEach(setting -> text.append(setting.getName())
                .append('=')
                .append(setting.getValue())
                .append('\n'));
        return text.toString();
    }

    @Command(name = "get", mixinStandardHelpOptions = true, header = "show some or all settings")
    static final class Get extends AdminAction {
        @Parameters(arity = "0..*", paramLabel = "NAME", description = "which ones (default: all)")
        private List<String> names = List.of();

        @Override
        void act(AdminClient client) {
            List<Setting> all = client.settings();
            TreeSet<String> unknown = new TreeSet<>(names);
            all.forEach(setting -> unknown.remove(setting.getName()));
            if (!unknown.isEmpty()) {
                throw CommandFailure.usage("unknown setting " + String.join(", ", unknown) + "; known are "
                        + String.join(", ", all.stream().map(Setting::getName).toList()));
            }
            mustPrint(text(all.stream()
                    .filter(setting -> names.isEmpty() || names.contains(setting.getName()))
                    .toList()));
        }
    }

    @Command(name = "set", mixinStandardHelpOptions = true, header = "change settings atomically")
    static final class Set extends AdminAction {
        @Parameters(arity = "1..*", paramLabel = "NAME=VALUE", description = "the new values")
        private Map<String, String> changes = Map.of();

        @Override
        void act(AdminClient client) {
            change(
                    client,
                    () -> text(client.change(changes).stream()
                            .filter(setting -> changes.containsKey(setting.getName()))
                            .toList()));
        }
    }
}
