package cleave.chaos.balance;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave balance popular|append}: a load on one range that no split can relieve. */
@Command(mixinStandardHelpOptions = true)
final class OneRangeCommand implements Callable<Integer> {
    private final OneRangeTrial.Kind kind;

    @Mixin
    private final TrialOptions options = new TrialOptions();

    @Option(names = "--entities", paramLabel = "N", description = "entities a second (default: 5000)")
    private int entities = 5_000;

    @Option(names = "--seconds", paramLabel = "N", description = "how long the load lasts (default: 60)")
    private int seconds = 60;

    private OneRangeCommand(OneRangeTrial.Kind kind) {
        this.kind = kind;
    }

    static CommandLine popular() {
        return command(
                "popular",
                "a load mostly on one partition, which no split can relieve: the balancer reports it",
                OneRangeTrial.Kind.POPULAR);
    }

    static CommandLine append() {
        return command(
                "append",
                "inserts behind the last entity: the end is split off, moved to another server, and reported",
                OneRangeTrial.Kind.APPEND);
    }

    private static CommandLine command(String name, String header, OneRangeTrial.Kind kind) {
        CommandLine line = new CommandLine(new OneRangeCommand(kind));
        line.getCommandSpec().name(name).usageMessage().header(header);
        return line;
    }

    @Override
    public Integer call() throws IOException {
        return options.execute(trial -> new OneRangeTrial(kind, trial, options.shape(entities, seconds)).run());
    }
}
