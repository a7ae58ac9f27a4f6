package cleave.deploy.role;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cleave master}: one partition master in this process. */
@Command(
        name = "master",
        mixinStandardHelpOptions = true,
        header = "one partition master in this process",
        customSynopsis = "cleave master [--config FILE] [--set KEY=VALUE]... [--log FILE]",
        description = {
            "Keeps the partition map with its peers, by Raft, and assigns ranges to partition servers.",
            "",
            "Runs until SIGTERM or SIGINT. A setting that is unknown or wrong stops the start, and the message lists the"
                    + " known ones. The admin port (admin.listen; by default any free port of 127.0.0.1, named in the log)"
                    + " serves /metrics, /healthz and /readyz."
        },
        footer = {"EXAMPLE", "", "  cleave master --config master.properties --set master.id=m2"})
public final class MasterCommand implements Callable<Integer> {
    @Mixin
    private GivenSettings given = new GivenSettings();

    @Override
    public Integer call() {
        return RoleStart.run(given, RunningMaster::configure);
    }
}
