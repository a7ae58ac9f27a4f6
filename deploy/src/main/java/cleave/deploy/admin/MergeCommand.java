package cleave.deploy.admin;

import cleave.model.Row;
import cleave.wire.AdminMergeRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code cleave admin merge}. */
@Command(
        name = "merge",
        mixinStandardHelpOptions = true,
        header = "merge two adjacent ranges",
        description = {
            "If only one range is given, its right neighbour is the other. If two servers own them, one range is moved first."
                    + " Returns when the map shows one range, or with the reason why it does not."
        })
final class MergeCommand extends AdminAction {
    @Parameters(
            index = "0",
            paramLabel = "RANGE",
            description = "id of the range, as 'cleave admin ranges' shows it: 17.0")
    private String range = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "RANGE", description = "an adjacent range")
    private @Nullable String with;

    @Override
    void act(AdminClient client) {
        String other = with;
        AdminMergeRequest.Builder request = AdminMergeRequest.newBuilder().setRange(read(() -> Row.parseId(range)));
        if (other != null) {
            request.setWith(read(() -> Row.parseId(other)));
        }
        change(client, () -> {
            client.merge(request.build());
            return "Range " + range + " is merged with its neighbour.\n";
        });
    }
}
