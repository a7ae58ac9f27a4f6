package cleave.chaos;

import cleave.chaos.fault.DrillCommand;
import cleave.chaos.fault.HandoffsCommand;
import cleave.chaos.fault.RollCommand;
import cleave.chaos.lab.LabCommand;
import cleave.chaos.load.BenchCommand;
import cleave.chaos.load.LoadCommand;
import cleave.chaos.load.empty.EmptyChainCommand;
import cleave.chaos.pods.PodsCommand;
import cleave.chaos.sim.SimulateCommand;
import cleave.deploy.CommandProvider;
import java.util.List;

/** The commands that this module adds to {@code cleave}. */
public final class ChaosCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        return List.of(
                new LoadCommand(),
                new BenchCommand(),
                new DrillCommand(),
                new EmptyChainCommand(),
                new HandoffsCommand(),
                new LabCommand(),
                new PodsCommand(),
                new RollCommand(),
                new SimulateCommand());
    }
}
