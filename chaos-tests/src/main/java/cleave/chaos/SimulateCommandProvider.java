package cleave.chaos;

import cleave.chaos.sim.SimulateCommand;
import cleave.deploy.CommandProvider;

/** Adds {@code cleave simulate}. */
public final class SimulateCommandProvider implements CommandProvider {
    @Override
    public Object command() {
        return new SimulateCommand();
    }
}
