package cleave.chaos;

import cleave.chaos.load.BenchCommand;
import cleave.deploy.CommandProvider;

/** Adds {@code cleave bench}. */
public final class BenchCommandProvider implements CommandProvider {
    @Override
    public Object command() {
        return new BenchCommand();
    }
}
