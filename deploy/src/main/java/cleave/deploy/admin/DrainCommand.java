package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Wait;
import cleave.wire.AdminDrainRequest;
import cleave.wire.RangeRow;
import cleave.wire.StatusReply;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave admin drain}. */
@Command(
        name = "drain",
        mixinStandardHelpOptions = true,
        header = "move all ranges away from a server, before it leaves",
        description = {
            "A draining server gets no ranges, and those that it has are moved away, one after the other. Answers when it has"
                    + " none any more. A restart of the server ends its draining, as --undo does."
        })
final class DrainCommand extends AdminAction {
    private static final Duration PAUSE = Duration.ofMillis(500);

    @Parameters(paramLabel = "SERVER", description = "as 'cleave admin servers' names it")
    private String server = "";

    @Option(names = "--undo", description = "let it have ranges again")
    private boolean undo;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "how long to wait until it is empty (default: ${DEFAULT-VALUE}; 0: not at all)")
    private int seconds;

    @Override
    void act(AdminClient client) {
        Duration patience = Duration.ofSeconds(counted("--wait", seconds));
        client.drain(
                AdminDrainRequest.newBuilder().setServer(server).setUndo(undo).build());
        if (undo) {
            print("Server " + server + " does not drain any more.\n");
        } else if (patience.isZero()) {
            print("Server " + server + " drains; 'cleave admin servers' shows when it is empty.\n");
        } else if (Wait.until(() -> isEmpty(client.statusOf(server)), patience, PAUSE)) {
            print("Server " + server + " owns no range any more: it can leave.\n");
        } else {
            throw CommandFailure.failed("server " + server + " still owns " + ranges(client.statusOf(server))
                    + " ranges; it goes on draining, and 'cleave admin events' shows what holds it up");
        }
    }

    private boolean isEmpty(StatusReply status) {
        int ranges = ranges(status);
        boolean drains = status.getMap().getServersList().stream()
                .anyMatch(each -> each.getIncarnation().getServer().equals(server) && each.getDraining());
        if (ranges > 0 && !drains) {
            throw CommandFailure.failed("server " + server + " does not drain any more and owns " + ranges
                    + " ranges: that was undone, or the server has left or was started again");
        }
        return ranges == 0;
    }

    private int ranges(StatusReply status) {
        int count = 0;
        for (RangeRow row : status.getMap().getRowsList()) {
            count += row.getOwner().getServer().equals(server) ? 1 : 0;
        }
        return count;
    }
}
