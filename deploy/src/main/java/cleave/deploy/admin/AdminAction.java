package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import cleave.model.ClusterId;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;

/** A command of operators: it names masters, and prints their answer. Confined to one thread. */
abstract class AdminAction extends TerminalCommand implements Callable<Integer> {
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

    /** Options before the name of a subcommand count, too. */
    private AdminClient client() {
        CommandSpec parent = line().getCommandSpec().parent();
        MastersOption before =
                parent != null && parent.userObject() instanceof AdminAction outer ? outer.masters : masters;
        return (masters.isGiven() ? masters : before).client((masters.namesCluster() ? masters : before).cluster());
    }

    /** The cluster that the caller has named; null: none. */
    @Nullable
    ClusterId named() {
        return masters.cluster();
    }

    /** Carries a change out in one cluster, whichever master is asked, and names the cluster behind what is returned. */
    void change(AdminClient client, Supplier<String> change) {
        mustPrint(changed(client, change));
    }

    static String changed(AdminClient client, Supplier<String> change) {
        String cluster = client.meetCluster();
        String done = change.get();
        return cluster.isEmpty() ? done : done + "# cluster " + cluster + "\n";
    }

    abstract void act(AdminClient client);

    /** The value of an argument; a wrong one is the caller's mistake. */
    static <T> T read(Supplier<T> reading) {
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
}
