package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What the commands of operators have in common: which masters, and where the answer is printed. Confined to one thread. */
abstract class AdminAction implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Mixin
    private MastersOption masters = new MastersOption();

    @Override
    public Integer call() {
        Logs.onlyErrors();
        try (AdminClient client = client()) {
            act(client);
        }
        return ExitCode.OK;
    }

    /** What stands before the name of a subcommand counts, too. */
    private AdminClient client() {
        CommandSpec parent = spec.parent();
        return !masters.isGiven() && parent != null && parent.userObject() instanceof AdminAction outer
                ? outer.client()
                : masters.client();
    }

    abstract void act(AdminClient client);

    /** Of an argument that is read as something; a wrong one is the caller's mistake. */
    static <T> T read(java.util.function.Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(String.valueOf(wrong.getMessage()));
        }
    }

    static int counted(String option, int count) {
        if (count < 0) {
            throw CommandFailure.usage(option + " is " + count + " but must be 0 or more");
        }
        return count;
    }

    void print(String text) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
        if (out.checkError()) {
            throw CommandFailure.failed("standard output is closed");
        }
    }
}
