package cleave.deploy.role;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cleave server}: one partition server in this process. */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        header = "one partition server in this process",
        customSynopsis = "cleave server [--config FILE] [--set KEY=VALUE]... [--log FILE]",
        description = {
            "Serves the ranges that the masters assign to it: their writes, reads and scans. What it must not lose is in the"
                    + " DFS; its folder holds only what can be fetched again.",
            "",
            "Runs until SIGTERM or SIGINT. A setting that is unknown or wrong stops the start, and the message lists the"
                    + " known ones. The admin port (admin.listen; by default any free port of 127.0.0.1, named in the log)"
                    + " serves /metrics, /healthz and /readyz."
        },
        footer = {"EXAMPLE", "", "  cleave server --config server.properties --set server.id=s7"})
public final class ServerCommand implements Callable<Integer> {
    @Mixin
    private GivenSettings given = new GivenSettings();

    @Override
    public Integer call() {
        return RoleStart.run(given, RunningServer::configure);
    }
}
