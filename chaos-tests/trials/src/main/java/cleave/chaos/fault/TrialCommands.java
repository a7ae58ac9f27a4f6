package cleave.chaos.fault;

import cleave.chaos.balance.BalanceCommand;
import cleave.deploy.CommandProvider;
import java.util.List;

/** The commands that this module adds to {@code cleave}. */
public final class TrialCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        return List.of(BalanceCommand.line(), new DrillCommand(), new HandoffsCommand(), new RollCommand());
    }
}
