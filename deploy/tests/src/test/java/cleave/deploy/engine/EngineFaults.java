package cleave.deploy.engine;

import cleave.runtime.settings.Settings.BadSetting;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The objections of {@code cleave engine} to settings, without a process being started. Stateless. */
public final class EngineFaults {
    private EngineFaults() {}

    /** Why the process would not start, or would be of no use; empty if it would. */
    public static Optional<String> fault(String part, String name, Map<String, String> settings) {
        EngineConfig config = new EngineConfig(settings);
        try {
            config.admin();
            switch (part) {
                case "zookeeper" -> {
                    config.text("dataDir");
                    config.addressOf(name);
                    List<String> words =
                            List.of(config.text("4lw.commands.whitelist").split(","));
                    if (!words.containsAll(List.of("srvr", "dump", "mntr"))) {
                        return Optional.of("4lw.commands.whitelist lacks words that readiness and metrics need");
                    }
                }
                case "bookie" -> {
                    config.zookeepers();
                    config.text("advertisedAddress");
                    config.text("bookiePort");
                    config.bookieFolders();
                    config.zone();
                }
                case "autorecovery" -> config.zookeepers();
                default -> {
                    return Optional.of("there is no part " + part);
                }
            }
            return Optional.empty();
        } catch (BadSetting wrong) {
            return Optional.of(String.valueOf(wrong.getMessage()));
        }
    }
}
