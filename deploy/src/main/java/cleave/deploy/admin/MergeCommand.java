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
        header = "make one range of two neighbours",
        description = {
            "The other one is the neighbour on the right if none is named. If they belong to two servers, one is moved first."
                    + " Answers when the map shows one range, or with what stands against it."
        })
final class MergeCommand extends AdminAction {
    @Parameters(index = "0", paramLabel = "RANGE", description = "as 'cleave admin ranges' names it: 17.0")
    private String range = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "RANGE", description = "its neighbour on either side")
    private @Nullable String with;

    @Override
    void act(AdminClient client) {
        String other = with;
        AdminMergeRequest.Builder request = AdminMergeRequest.newBuilder().setRange(read(() -> Row.parseId(range)));
        if (other != null) {
            request.setWith(read(() -> Row.parseId(other)));
        }
        client.merge(request.build());
        print("Range " + range + " and its neighbour are one range now.\n");
    }
}
