package cleave.chaos.lab;

import cleave.chaos.lab.exercise.ExerciseCommand;
import cleave.chaos.lab.exercise.GradeCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cleave lab}: ideas of range partitioning, each shown by a run. */
@Command(
        name = "lab",
        mixinStandardHelpOptions = true,
        header = "shows ideas of range partitioning, each by a run with a question, figures and pictures",
        description = {
            "Each lab asks a question, lets you predict the answer, measures it on a running system, and says why it is so. It ends with the"
                    + " code to read and with what to change in order to see it go wrong.",
            "What a lab claims is checked by the run: a claim that does not hold ends the command with status 1."
        },
        subcommands = {
            LabListCommand.class,
            LabRunCommand.class,
            LabAllCommand.class,
            ExerciseCommand.class,
            GradeCommand.class
        })
public final class LabCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "say what to do: " + String.join(", ", spec.subcommands().keySet()));
    }
}
