package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.wire.FoundReply;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cleave admin masters found}. */
@Command(
        name = "found",
        mixinStandardHelpOptions = true,
        header = "found a new cluster on an empty DFS, once per deployment",
        description = {
            "Masters with empty folders belong to no cluster and do nothing. This command has the first of them (of --masters,"
                    + " or of the deployment) found a cluster whose members are the masters in its setting master.peers. The"
                    + " cluster's id is written to the DFS and to each master's folder; none of them can be founded again.",
            "",
            "If the command is repeated, it continues a founding that was interrupted or reports that the cluster exists, so"
                    + " it can run in a script. Repeat it with the same master."
        },
        footer = {"EXAMPLE", "", "  cleave admin masters found --masters m1:10100,m2:10100,m3:10100"})
final class FoundCommand extends AdminAction {
    @Option(
            names = "--resume",
            paramLabel = "CLUSTER",
            defaultValue = "",
            description =
                    "continue the founding of this cluster, whose founder lost its disk before it was done. Refused if the"
                            + " cluster has data")
    private String resume = "";

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "how long to retry masters that do not answer yet (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Override
    void act(AdminClient client) {
        if (named() != null && resume.isEmpty()) {
            throw CommandFailure.usage(
                    "a founding gives the cluster its id: leave out --cluster and unset CLEAVE_CLUSTER");
        }
        FoundReply reply = client.found(resume, Duration.ofSeconds(counted("--wait", seconds)));
        mustPrint(
                reply.getAlready()
                        ? "Cluster " + reply.getCluster() + " exists already.\n"
                        : "Founded cluster " + reply.getCluster() + ".\n");
    }
}
