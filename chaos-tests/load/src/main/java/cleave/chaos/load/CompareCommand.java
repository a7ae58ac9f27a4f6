package cleave.chaos.load;

import cleave.chaos.load.report.Comparison;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
                    + " the runs' seconds.",
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

    @Parameters(index = "0", paramLabel = "A", description = "the report that the other one is compared with")
    private @Nullable Path first;

    @Parameters(index = "1", paramLabel = "B", description = "the report that may be worse")
    private @Nullable Path second;

    @Override
    public Integer call() {
        if (first == null || second == null) {
            throw CommandFailure.usage("two reports are needed: A and B");
        }
        if (tolerancePercent < 0) {
            throw CommandFailure.usage("--tolerance must not be below 0");
        }
        Comparison comparison = compared(first, second);
        PrintWriter out = spec.commandLine().getOut();
        out.print(comparison);
        out.flush();
        return comparison.isWorse() ? ExitCode.NOT_AS_DEMANDED : ExitCode.OK;
    }

    private Comparison compared(Path one, Path other) {
        try {
            return Comparison.of(MergeCommand.read(one), MergeCommand.read(other), tolerancePercent / PERCENT);
        } catch (IllegalArgumentException senseless) {
            throw CommandFailure.usage(String.valueOf(senseless.getMessage()));
        }
    }
}
