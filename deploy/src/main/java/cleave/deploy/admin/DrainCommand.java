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
        header = "move all ranges away from a server before it is shut down",
        description = {
            "A draining server gets no ranges, and its ranges are moved away one after the other. Returns when it has none left."
                    + " A restart of the server ends its draining, as --undo does."
        })
final class DrainCommand extends AdminAction {
    private static final Duration PAUSE = Duration.ofMillis(500);

    @Parameters(paramLabel = "SERVER", description = "id of the server, as 'cleave admin servers' shows it")
    private String server = "";

    @Option(names = "--undo", description = "stop draining: the server may get ranges again")
    private boolean undo;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "how long to wait until the server is empty (default: ${DEFAULT-VALUE}; 0: do not wait)")
    private int seconds;

    @Override
    void act(AdminClient client) {
        Duration patience = Duration.ofSeconds(counted("--wait", seconds));
        change(client, () -> drained(client, patience));
    }

    private String drained(AdminClient client, Duration patience) {
        client.drain(
                AdminDrainRequest.newBuilder().setServer(server).setUndo(undo).build());
        if (undo) {
            return "Server " + server + " is no longer draining.\n";
        }
        if (patience.isZero()) {
            return "Server " + server + " is draining; 'cleave admin servers' shows when it is empty.\n";
        }
        if (Wait.until(() -> isEmpty(client.statusOf(server)), patience, PAUSE)) {
            return "Server " + server + " owns no ranges: it can be shut down.\n";
        }
        throw CommandFailure.failed("server " + server + " still owns " + ranges(client.statusOf(server))
                + " ranges; it is still draining; 'cleave admin events' shows what delays it");
    }

    private boolean isEmpty(StatusReply status) {
        int ranges = ranges(status);
        boolean drains = status.getMap().getServersList().stream()
                .anyMatch(each -> each.getIncarnation().getServer().equals(server) && each.getDraining());
        if (ranges > 0 && !drains) {
            throw CommandFailure.failed("server " + server + " is no longer draining but owns " + ranges
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
