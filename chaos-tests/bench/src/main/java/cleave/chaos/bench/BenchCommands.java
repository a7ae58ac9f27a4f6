package cleave.chaos.bench;

import cleave.chaos.bench.empty.EmptyChainCommand;
import cleave.deploy.CommandProvider;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The commands that this module adds to {@code cleave}. */
public final class BenchCommands implements CommandProvider {
    @Override
    public Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("bench", BenchCommand::new);
        all.put("empty-chain", EmptyChainCommand::new);
        return all;
    }
}
