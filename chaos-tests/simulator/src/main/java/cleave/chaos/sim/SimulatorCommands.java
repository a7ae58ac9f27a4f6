package cleave.chaos.sim;

import cleave.deploy.CommandProvider;
import java.util.List;

/** The commands that this module adds to {@code cleave}. */
public final class SimulatorCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        return List.of(new SimulateCommand());
    }
}
