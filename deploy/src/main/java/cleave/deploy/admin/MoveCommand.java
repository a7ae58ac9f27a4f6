package cleave.deploy.admin;

import cleave.model.Row;
import cleave.wire.AdminMoveRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave admin move}. */
@Command(
        name = "move",
        mixinStandardHelpOptions = true,
        header = "move a range to another server",
        description = {
            "Returns when the map shows it, or with the reason why it does not. The balancer may move the range again later."
        })
final class MoveCommand extends AdminAction {
    @Parameters(paramLabel = "RANGE", description = "id of the range, as 'cleave admin ranges' shows it: 17.0")
    private String range = "";

    @Option(names = "--to", paramLabel = "SERVER", required = true, description = "the server that is to own it")
    private String server = "";

    @Override
    void act(AdminClient client) {
        AdminMoveRequest request = AdminMoveRequest.newBuilder()
                .setRange(read(() -> Row.parseId(range)))
                .setServer(server)
                .build();
        change(client, () -> {
            client.move(request);
            return "Range " + range + " is now owned by " + server + ".\n";
        });
    }
}
