package cleave.deploy.role;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cleave dfs}: one node of the distributed file system in this process. */
@Command(
        name = "dfs",
        mixinStandardHelpOptions = true,
        header = "one node of the distributed file system in this process",
        customSynopsis = "cleave dfs [--config FILE] [--set KEY=VALUE]... [--log FILE]",
        description = {
            "Keeps append-only files for the partition servers, every append on stable storage before it is answered.",
            "",
            "Runs until SIGTERM or SIGINT. A setting that is unknown or wrong stops the start, and the message lists the"
                    + " known ones. The admin port (admin.listen; by default any free port of 127.0.0.1, named in the log)"
                    + " serves /metrics, /healthz and /readyz."
        },
        footer = {
            "EXAMPLE",
            "",
            "  cleave dfs --set dfs-node.listen=0.0.0.0:10200 --set dfs-node.dir=/var/lib/cleave-dfs"
        })
public final class DfsCommand implements Callable<Integer> {
    @Mixin
    private GivenSettings given = new GivenSettings();

    @Override
    public Integer call() {
        return RoleStart.run(given, RunningDfsNode::configure);
    }
}
