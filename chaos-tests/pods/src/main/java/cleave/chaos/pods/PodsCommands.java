package cleave.chaos.pods;

import cleave.deploy.CommandProvider;
import java.util.Map;
import java.util.function.Supplier;

/** The command that this module adds to {@code cleave trial}. */
public final class PodsCommands implements CommandProvider {
    @Override
    public Map<String, Supplier<Object>> commands() {
        return Map.of("trial pods", PodsCommand::new);
    }
}
