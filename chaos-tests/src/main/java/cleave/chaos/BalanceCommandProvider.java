package cleave.chaos;

import cleave.chaos.balance.BalanceCommand;
import cleave.deploy.CommandProvider;

/** Adds {@code cleave balance}. */
public final class BalanceCommandProvider implements CommandProvider {
    @Override
    public Object command() {
        return new BalanceCommand();
    }
}
