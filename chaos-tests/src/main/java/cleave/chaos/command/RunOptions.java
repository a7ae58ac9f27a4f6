package cleave.chaos.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where a command that starts processes keeps them, and how it tells what it does. Confined to its command. */
public final class RunOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec command;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "folder of data, logs and other output (default: a new temporary folder)")
    private @Nullable Path dir;

    /** The folder of this run, which exists. */
    public Path folder() throws IOException {
        return dir == null
                ? Files.createTempDirectory("cleave-" + command.name() + "-")
                : Files.createDirectories(dir.toAbsolutePath());
    }

    /** A line of progress. */
    public void progress(String line) {
        PrintWriter err = command.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    /** Text that is the command's outcome. */
    public void print(String text) {
        PrintWriter out = command.commandLine().getOut();
        out.print(text);
        out.flush();
    }
}
