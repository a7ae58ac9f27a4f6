package cleave.chaos.balance;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave balance steady}. */
@Command(
        name = "steady",
        mixinStandardHelpOptions = true,
        header = "loads around the threshold that never change: once settled, nothing moves",
        description = "Each load is on a table of its own, which is a range of its own at first.")
final class SteadyCommand implements Callable<Integer> {
    private static final int MINUTE = 60;

    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(
            names = "--loads",
            paramLabel = "X",
            split = ",",
            description = "one for each table, as parts of the threshold of splits (default: 0.5,0.9,1.1)")
    private List<Double> loads = List.of(0.5, 0.9, 1.1);

    @Option(names = "--settle", paramLabel = "MINUTES", description = "how long handoffs may begin (default: 5)")
    private double settle = 5;

    @Option(names = "--minutes", paramLabel = "MINUTES", description = "how long none may begin then (default: 10)")
    private double minutes = 10;

    @Override
    public Integer call() throws IOException {
        SteadyTrial.Shape shape = new SteadyTrial.Shape(loads, settle * MINUTE, options.shape(0, minutes * MINUTE));
        return options.execute(trial -> new SteadyTrial(trial, shape).run());
    }
}
