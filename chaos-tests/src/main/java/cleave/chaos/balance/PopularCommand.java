package cleave.chaos.balance;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave balance popular}. */
@Command(
        name = "popular",
        mixinStandardHelpOptions = true,
        header = "a load of which one partition gets most: it is not split, but named")
final class PopularCommand implements Callable<Integer> {
    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(names = "--entities", paramLabel = "N", description = "entities a second (default: 5000)")
    private int entities = 5_000;

    @Option(names = "--seconds", paramLabel = "N", description = "how long the load lasts (default: 60)")
    private int seconds = 60;

    @Override
    public Integer call() throws IOException {
        return options.execute(trial -> new PopularTrial(trial, options.shape(entities, seconds)).run());
    }
}
