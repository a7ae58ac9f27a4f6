package cleave.chaos;

import cleave.chaos.fault.DrillCommand;
import cleave.deploy.CommandProvider;

/** Adds {@code cleave drill}. */
public final class DrillCommandProvider implements CommandProvider {
    @Override
    public Object command() {
        return new DrillCommand();
    }
}
