package cleave.chaos.bench;

import cleave.chaos.bench.empty.EmptyChainCommand;
import cleave.deploy.CommandProvider;
import java.util.List;

/** The commands that this module adds to {@code cleave}. */
public final class BenchCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        return List.of(new BenchCommand(), new EmptyChainCommand());
    }
}
