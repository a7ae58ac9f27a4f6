package cleave.chaos;

import cleave.chaos.balance.BalanceCommand;
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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The commands that this module adds to {@code cleave}. */
public final class ChaosCommands implements CommandProvider {
    @Override
    public Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("load", LoadCommand::new);
        all.put("balance", BalanceCommand::line);
        all.put("bench", BenchCommand::new);
        all.put("drill", DrillCommand::new);
        all.put("empty-chain", EmptyChainCommand::new);
        all.put("handoffs", HandoffsCommand::new);
        all.put("lab", LabCommand::new);
        all.put("pods", PodsCommand::new);
        all.put("roll", RollCommand::new);
        all.put("simulate", SimulateCommand::new);
        return all;
    }
}
