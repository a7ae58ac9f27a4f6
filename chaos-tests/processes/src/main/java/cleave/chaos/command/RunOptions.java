package cleave.chaos.command;

import java.io.IOException;
import java.io.PrintWriter;
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
            description =
                    "folder of data, logs and other output (default: a temporary folder, which stays only if the run fails)")
    private @Nullable Path dir;

    /** The folder of this run, which exists; to be closed after all that uses it. */
    public RunFolder folder() throws IOException {
        return dir == null
                ? RunFolder.temporary("cleave-" + command.name() + "-", this::progress)
                : RunFolder.named(dir);
    }

    /** The work of a command in its folder. */
    public interface Run {
        /** True if all was as it should be. */
        boolean isRight(RunFolder folder) throws IOException;
    }

    /** Carries it out in the folder of this run. Returns the exit status. */
    public int inFolder(Run run) throws IOException {
        try (RunFolder folder = folder()) {
            boolean isRight = run.isRight(folder);
            if (isRight) {
                folder.succeeded();
            }
            return isRight ? 0 : 1;
        }
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
