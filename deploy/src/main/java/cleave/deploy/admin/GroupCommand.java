package cleave.deploy.admin;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cleave admin masters}: which masters are the members of the cluster. */
@Command(
        name = "masters",
        mixinStandardHelpOptions = true,
        header = "found a cluster",
        subcommands = {FoundCommand.class})
final class GroupCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what: found");
    }
}
