package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave dfs copy}. */
@Command(
        name = "copy",
        mixinStandardHelpOptions = true,
        header = "copy the files of a stopped cluster to another DFS",
        customSynopsis = {"cleave dfs copy FROM TO [--tls DIR]"},
        description = {
            "Moves a cluster to another kind of DFS, such as from a node to BookKeeper, or back. Its masters and servers must be"
                    + " stopped. Afterwards they are started with TO as their setting dfs; the masters' folders stay.",
            "",
            "Each file is compared after it was copied. A copy that was interrupted continues when the same command is run again: files that are"
                    + " in TO are compared and not written again. BookKeeper knows a file only once it is whole; on a node or in a folder, a copy that"
                    + " broke off inside a file begins anew, with an empty TO. Nothing is deleted, and FROM can be returned to as long as the cluster was not started with TO.",
            "",
            "With --tls, the certificate must be an admin's."
        },
        footer = {
            "EXAMPLE",
            "",
            "  cleave dfs copy dfs:e1:10200 bookkeeper://zk1:2181,zk2:2181,zk3:2181/cleave --tls /etc/cleave/admin"
        })
public final class DfsCopyCommand extends TerminalCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "FROM",
            description = "the DFS that has the files, as a server's setting dfs names it")
    private String from = "";

    @Parameters(
            index = "1",
            paramLabel = "TO",
            description = "the DFS that gets them; no cluster may have been founded on it")
    private String to = "";

    @Option(
            names = "--tls",
            paramLabel = "DIR",
            description = "the folder of certificates (tls.crt, tls.key, ca.crt) for mutual TLS; default: in the clear")
    private @Nullable Path tls;

    @Override
    public Integer call() {
        Logs.onlyErrors();
        if (from.equals(to)) {
            throw CommandFailure.usage("FROM and TO are the same DFS: " + from);
        }
        Transport transport = AdminClient.transport(tls);
        try (Dfs source = open("FROM", from, transport);
                Dfs target = open("TO", to, transport)) {
            DfsCopy.Result result = copy(source, target);
            say("Cluster " + result.cluster() + " is whole in " + to + ": " + result.files() + " files, "
                    + Bytes.text(result.bytes()) + ", each compared with its original"
                    + (result.present() == 0 ? "" : "; " + result.present() + " were there before")
                    + (result.sealed() == 0 ? "" : "; " + result.sealed() + " were open in FROM, and are sealed")
                    + ". Start all its masters and servers with dfs=" + to + ": that is DFS " + result.to()
                    + "; those that are left with DFS " + result.from() + " will be refused.");
        }
        return ExitCode.OK;
    }

    private DfsCopy.Result copy(Dfs source, Dfs target) {
        try (Progress progress = progress()) {
            Waiting waiting = new WaitingForSpace(target, this::note);
            return new DfsCopy(source, target, () -> UUID.randomUUID().toString(), waiting, progress, this::note).run();
        } catch (IOException failed) {
            throw CommandFailure.failed(String.valueOf(failed.getMessage()));
        } catch (DfsException failed) {
            throw CommandFailure.failed(failed.getMessage() + next(failed.reason()));
        }
    }

    private static String next(Reason reason) {
        return switch (reason) {
            case UNAVAILABLE -> ". Run the same command again: it continues, or says that TO must be empty";
            case NO_SPACE ->
                ": TO has too little space. Give it more, and run the same command again: it continues, or says that TO must"
                        + " be empty";
            default -> "";
        };
    }

    private void note(String text) {
        say(text);
    }

    private static Dfs open(String name, String uri, Transport transport) {
        try {
            return DfsClients.open(uri, transport, new DfsMetrics(new CollectorRegistry()));
        } catch (DfsException refused) {
            throw CommandFailure.usage(name + ": " + refused.getMessage());
        }
    }
}
