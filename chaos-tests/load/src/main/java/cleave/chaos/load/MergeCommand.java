package cleave.chaos.load;

import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.MergedSummary;
import cleave.chaos.load.report.MergedSummary.Part;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.report.TerminalReport;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
            "The reports must be of loads with the same workload that ran side by side, all in open loops or all in"
                    + " closed ones."
        })
public final class MergeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Mixin
    private final FailIfOption failIf = new FailIfOption();

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "reports as JSON")
    private List<Path> files = List.of();

    @Override
    public Integer call() {
        report.check();
        failIf.conditions();
        Summary all =
                failIf.judged(merged(files.stream().map(MergeCommand::read).toList()));
        if (all.steps().isEmpty()) {
            report.requireNoSteps();
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(TerminalReport.of(all));
        out.flush();
        report.write(all);
        return failIf.status(all);
    }

    private static Summary merged(List<Part> parts) {
        try {
            MergedSummary.requireSideBySide(parts);
            return MergedSummary.of(parts);
        } catch (IllegalArgumentException different) {
            throw CommandFailure.usage(String.valueOf(different.getMessage()));
        }
    }

    /** A report that was written as JSON. */
    static Part read(Path file) {
        try {
            return new Part(file.toString(), JsonReport.read(Files.readString(file)));
        } catch (NoSuchFileException missing) {
            throw CommandFailure.usage("there is no file " + file);
        } catch (IOException wrong) {
            throw CommandFailure.usage(file + " is no report of 'cleave load --json': " + wrong.getMessage());
        }
    }
}
