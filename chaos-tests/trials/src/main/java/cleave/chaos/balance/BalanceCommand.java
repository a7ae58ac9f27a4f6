package cleave.chaos.balance;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cleave balance}: runs the balancer on a local cluster under known loads. */
@Command(
        name = "balance",
        mixinStandardHelpOptions = true,
        header = "shows how the balancer reacts to a load, with figures and a picture",
        description = {
            "Starts 3 masters, 3 servers, a front end and a DFS node as processes of this machine, fills tables, and lets paced"
                    + " clients that never retry work on them; half of their requests are pages of 10 entities and half"
                    + " transactions of 10 upserts. All thresholds are the defaults.",
            "Prints the balancer's decisions and their reasons as they happen and, at the end, which goals were met; draws the load"
                    + " and the number of ranges of each server. Ends with status 1 if a goal was missed or a"
                    + " request failed."
        },
        subcommands = {SpreadCommand.class, SteadyCommand.class})
public final class BalanceCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    /** With its subcommands. */
    public static CommandLine line() {
        return new CommandLine(new BalanceCommand())
                .addSubcommand(OneRangeCommand.popular())
                .addSubcommand(OneRangeCommand.append());
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "name a trial: " + String.join(", ", spec.subcommands().keySet()));
    }
}
