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
        header = "give a range to another server",
        description = {
            "Answers when the map shows it, or with what stands against it. The balancer may later decide otherwise."
        })
final class MoveCommand extends AdminAction {
    @Parameters(paramLabel = "RANGE", description = "as 'cleave admin ranges' names it: 17.0")
    private String range = "";

    @Option(names = "--to", paramLabel = "SERVER", required = true, description = "the server that shall have it")
    private String server = "";

    @Override
    void act(AdminClient client) {
        client.move(AdminMoveRequest.newBuilder()
                .setRange(read(() -> Row.parseId(range)))
                .setServer(server)
                .build());
        print("Range " + range + " belongs to " + server + " now.\n");
    }
}
