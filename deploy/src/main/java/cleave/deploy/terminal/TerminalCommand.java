package cleave.deploy.terminal;

import cleave.deploy.CommandFailure;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that tells its caller something. Confined to the command's thread. */
public abstract class TerminalCommand {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    /** The command as picocli has parsed it, for the errors of its parameters. */
    protected final CommandLine line() {
        return spec.commandLine();
    }

    protected final PrintWriter err() {
        return line().getErr();
    }

    /** A line that shows how far the command has come; to be closed. */
    protected final Progress progress() {
        return new Progress(err());
    }

    /** Prints a line at once. */
    protected final void say(String line) {
        print(line + System.lineSeparator());
    }

    /** Prints a text at once. */
    protected final void print(String text) {
        PrintWriter out = line().getOut();
        out.print(text);
        out.flush();
    }

    /** Prints a text at once; ends the command if nobody can read it. */
    protected final void mustPrint(String text) {
        print(text);
        if (line().getOut().checkError()) {
            throw CommandFailure.failed("standard output is closed");
        }
    }
}
