package cleave.chaos.load;

import cleave.chaos.load.workload.Workload;
import cleave.deploy.CommandFailure;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cleave load workloads}: lists the built-in workloads, or shows the file of one. */
@Command(
        name = "workloads",
        mixinStandardHelpOptions = true,
        header = "lists the built-in workloads, or shows the file of one",
        description =
                "The file of a built-in workload is a start for one's own: save it, change it, and give it to 'cleave"
                        + " load --workload'.")
public final class WorkloadsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "NAME", description = "the workload whose file is shown")
    private @Nullable String name;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (name == null) {
            for (String each : Workloads.NAMES) {
                Workload workload = Workloads.builtIn(each);
                out.printf(Locale.ROOT, "%-14s %s%n", each, workload.description());
            }
        } else if (Workloads.NAMES.contains(name)) {
            out.print(Workloads.text(name));
        } else {
            throw CommandFailure.usage(
                    "there is no built-in workload '" + name + "'; those are " + String.join(", ", Workloads.NAMES));
        }
        out.flush();
        return 0;
    }
}
