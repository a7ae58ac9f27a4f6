package cleave.chaos.load;

import cleave.chaos.load.report.Comparison;
import cleave.chaos.load.report.MergedSummary.Part;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cleave load compare}: says whether one of two loads was slower, and how sure that is. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        header = "says whether the second of two loads was slower than the first, and how sure that is",
        description = {
            "Compares p50, p99, p99.9 and rate of two reports that 'cleave load --json' wrote of the same load, such as one"
                    + " before a change and one after it. The ratio of each figure has an interval, by a block bootstrap of"
                    + " the runs' seconds, and of the runs, if there are several of each: A1.json,A2.json B1.json,B2.json.",
            "Reports of different workloads, rates, connections or retries are refused, and so are those of several rates,"
                    + " of a rate that was not reached, and of less than 30 seconds.",
            "Ends with 5 if a figure of the second is worse by more than the tolerance and chance."
        })
public final class CompareCommand implements Callable<Integer> {
    private static final double PERCENT = 100;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Option(names = "--tolerance", paramLabel = "PERCENT", description = "a difference below this is none (default: 5)")
    private double tolerancePercent = 5;

    @Parameters(
            index = "0",
            paramLabel = "A[,A...]",
            split = ",",
            arity = "1",
            hideParamSyntax = true,
            description = "the report that the other one is compared with, or those of several runs")
    private List<Path> first = List.of();

    @Parameters(
            index = "1",
            paramLabel = "B[,B...]",
            split = ",",
            arity = "1",
            hideParamSyntax = true,
            description = "the report that may be worse, or those of several runs")
    private List<Path> second = List.of();

    @Override
    public Integer call() {
        if (tolerancePercent < 0) {
            throw CommandFailure.usage("--tolerance must not be below 0");
        }
        Comparison comparison = compared();
        PrintWriter out = spec.commandLine().getOut();
        out.print(comparison);
        out.flush();
        return comparison.isWorse() ? ExitCode.NOT_AS_DEMANDED : ExitCode.OK;
    }

    private Comparison compared() {
        try {
            return Comparison.of(read(first), read(second), tolerancePercent / PERCENT);
        } catch (IllegalArgumentException senseless) {
            throw CommandFailure.usage(String.valueOf(senseless.getMessage()));
        }
    }

    private static List<Part> read(List<Path> files) {
        if (files.stream().map(Path::normalize).distinct().count() < files.size()) {
            throw CommandFailure.usage("a report is given twice in " + files + "; a run counts once");
        }
        return files.stream().map(MergeCommand::read).toList();
    }
}
