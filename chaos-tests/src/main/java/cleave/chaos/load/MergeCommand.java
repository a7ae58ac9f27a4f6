package cleave.chaos.load;

import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.report.TextReport;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cleave load merge}: makes one report of those of several processes or machines. */
@Command(
        name = "merge",
        mixinStandardHelpOptions = true,
        header = "makes one report of those of several processes or machines",
        description = {
            "Adds up reports that 'cleave load --json' wrote: counts, rates, and whole histograms, so that percentiles"
                    + " are those of all operations together. Of a single second the worst percentile of the processes is"
                    + " given.",
            "The reports must be of loads that ran side by side."
        })
public final class MergeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "reports as JSON")
    private List<Path> files = List.of();

    @Override
    public Integer call() {
        report.check();
        Summary all = Summary.merged(read(files));
        PrintWriter out = spec.commandLine().getOut();
        out.print(TextReport.of(all));
        out.flush();
        report.write(all);
        return all.isRight() ? 0 : 1;
    }

    /** The summaries in these files. */
    static List<Summary> read(List<Path> files) {
        List<Summary> summaries = new ArrayList<>();
        for (Path file : files) {
            try {
                summaries.add(JsonReport.read(Files.readString(file)));
            } catch (IOException wrong) {
                throw CommandFailure.usage(file + " is no report of 'cleave load --json': " + wrong.getMessage());
            }
        }
        return summaries;
    }
}
