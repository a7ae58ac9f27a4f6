package cleave.chaos;

import cleave.chaos.load.LoadCommand;
import cleave.deploy.CommandProvider;

/** Adds {@code cleave load}. */
public final class LoadCommandProvider implements CommandProvider {
    @Override
    public Object command() {
        return new LoadCommand();
    }
}
