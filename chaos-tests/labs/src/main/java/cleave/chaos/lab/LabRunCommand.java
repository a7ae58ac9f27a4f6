package cleave.chaos.lab;

import cleave.chaos.command.RecordOption;
import cleave.deploy.CommandFailure;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave lab run}. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        header = "run labs",
        description =
                "Runs on processes that it starts and ends, unless an endpoint or the folder of a cluster is given.")
final class LabRunCommand implements Callable<Integer> {
    @Mixin
    private final LabOptions options = new LabOptions();

    @Mixin
    private final FullOptions full = new FullOptions();

    @Mixin
    private final RecordOption record = new RecordOption();

    @Parameters(
            arity = "1..*",
            paramLabel = "NAME",
            description = "labs, as 'cleave lab list' names them, or pages of your own, such as my-lab.md")
    private List<String> names = List.of();

    @Option(
            names = "--predict",
            paramLabel = "N",
            description = "the answer that you expect, by its number (default: you are asked on a terminal)")
    private @Nullable Integer predicted;

    @Override
    public Integer call() throws Exception {
        List<Lab> labs = full.of(names.stream().map(Labs::named).toList());
        if (predicted != null && labs.size() > 1) {
            throw CommandFailure.usage("--predict is about one lab, and " + labs.size() + " are named");
        }
        if (record.isGiven() && labs.size() > 1) {
            throw CommandFailure.usage("--record is about one lab, and " + labs.size() + " are named");
        }
        record.check();
        return options.run(labs, predicted, record).stream().allMatch(Report::isRight) ? 0 : 1;
    }
}
