package cleave.chaos.fault;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cleave trial}: clusters under faults, handoffs and restarts, with clients that record every answer. */
@Command(
        name = "trial",
        mixinStandardHelpOptions = true,
        header =
                "kills, pauses, splits, restarts or upgrades a cluster under load; measures and checks what clients see",
        description = {
            "Each trial starts a cluster and clients that record every answer. It then does to the cluster, step by step, what"
                    + " happens in production, prints what clients saw of each step, and checks the history of all answers."
        },
        subcommands = {DrillCommand.class, HandoffTrialCommand.class, RollCommand.class})
public final class TrialCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "say which: " + String.join(", ", spec.subcommands().keySet()));
    }
}
