package cleave.chaos.fault;

import cleave.deploy.CommandProvider;
import java.util.Map;
import java.util.function.Supplier;

/** The commands that this module adds to {@code cleave}. */
public final class TrialCommands implements CommandProvider {
    @Override
    public Map<String, Supplier<Object>> commands() {
        return Map.of("trial", TrialCommand::new);
    }
}
