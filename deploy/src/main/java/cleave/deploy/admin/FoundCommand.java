package cleave.deploy.admin;

import cleave.wire.FoundReply;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cleave admin masters found}. */
@Command(
        name = "found",
        mixinStandardHelpOptions = true,
        header = "found a new cluster on an empty DFS; once, when it is deployed",
        description = {
            "Masters with empty folders belong to no cluster and do nothing. This tells the first of them (of --masters, or of the"
                    + " deployment) to found one, whose members are the masters that its setting master.peers names. The id of"
                    + " the cluster is written to the DFS and to each master's folder, and nothing is ever founded there again.",
            "",
            "Sent again it goes on with a founding that ended half-way, or says that there is the cluster already, so it can"
                    + " stand in a script or a job that is repeated. Send it to the same master then."
        },
        footer = {"EXAMPLE", "", "  cleave admin masters found --masters m1:10100,m2:10100,m3:10100"})
final class FoundCommand extends AdminAction {
    @Option(
            names = "--resume",
            paramLabel = "CLUSTER",
            defaultValue = "",
            description =
                    "go on with the founding of this cluster, whose founder's disk was lost before it was done. Refused"
                            + " where the cluster has data")
    private String resume = "";

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "how long to ask masters that do not answer yet (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Override
    void act(AdminClient client) {
        FoundReply reply = client.found(resume, Duration.ofSeconds(counted("--wait", seconds)));
        print(
                reply.getAlready()
                        ? "There is cluster " + reply.getCluster() + " already.\n"
                        : "Founded cluster " + reply.getCluster() + ".\n");
    }
}
