package cleave.deploy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs commands in this JVM, and keeps the output of the last. Confined to one thread. */
public final class TestTerminal {
    private StringWriter out = new StringWriter();
    private StringWriter err = new StringWriter();

    /** The exit code of {@code cleave} with these arguments. */
    public int run(String... arguments) {
        return run(Cleave.commandLine(arguments), arguments);
    }

    /** The exit code of this command with more arguments. */
    public int run(List<String> command, String... more) {
        return run(Stream.concat(command.stream(), Stream.of(more)).toArray(String[]::new));
    }

    /** The exit code of this command line. */
    public int run(CommandLine line, String... arguments) {
        out = new StringWriter();
        err = new StringWriter();
        line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    public String out() {
        return out.toString();
    }

    public String err() {
        return err.toString();
    }

    /** Standard output, then the errors. */
    public String said() {
        return out() + err();
    }
}
