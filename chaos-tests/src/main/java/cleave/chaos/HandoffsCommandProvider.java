package cleave.chaos;

import cleave.chaos.fault.HandoffsCommand;
import cleave.deploy.CommandProvider;

/** Adds {@code cleave handoffs}. */
public final class HandoffsCommandProvider implements CommandProvider {
    @Override
    public Object command() {
        return new HandoffsCommand();
    }
}
