package cleave.chaos.lab;

import cleave.deploy.terminal.TextTable;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code cleave lab list}. */
@Command(name = "list", mixinStandardHelpOptions = true, header = "list the labs, in the order of the course")
final class LabListCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Override
    public void run() {
        TextTable table = new TextTable("COURSE", "NAME", "MINUTES", "TITLE");
        for (Lab lab : Labs.all()) {
            LabCard card = lab.card();
            table.row(card.course(), card.name(), card.minutes(), card.title());
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(table.text());
        out.flush();
    }
}
