package cleave.chaos.fault;

import cleave.deploy.CommandProvider;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The commands that this module adds to {@code cleave}. */
public final class TrialCommands implements CommandProvider {
    @Override
    public Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("drill", DrillCommand::new);
        all.put("handoffs", HandoffsCommand::new);
        all.put("roll", RollCommand::new);
        return all;
    }
}
