package cleave.chaos.balance;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave balance spread}. */
@Command(
        name = "spread",
        mixinStandardHelpOptions = true,
        header = "a load that exceeds one range: it is split and spread over the servers",
        description =
                "A tenth of the load warms the processes up. When the load has stopped, the time after which ranges merge is cut from minutes to 10 seconds by"
                        + " changing settings, and they do.")
final class SpreadCommand implements Callable<Integer> {
    private static final Map<String, String> SOON = Map.of(
            "balancer.merge-window", "10s", "balancer.merge-after-split", "10s", "balancer.merge-after-start", "10s");

    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(names = "--entities", paramLabel = "N", description = "entities a second (default: 7000)")
    private int entities = 7_000;

    @Option(names = "--seconds", paramLabel = "N", description = "how long the load lasts (default: 90)")
    private int seconds = 90;

    @Override
    public Integer call() throws IOException {
        SpreadTrial.Shape shape = new SpreadTrial.Shape(options.shape(entities, seconds), Map.of(), SOON);
        return options.execute(trial -> new SpreadTrial(trial, shape).run());
    }
}
