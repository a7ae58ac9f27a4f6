package cleave.deploy.admin;

import cleave.wire.HandoffState;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cleave admin handoffs}. */
@Command(
        name = "handoffs",
        mixinStandardHelpOptions = true,
        header = "the splits, merges and moves under way",
        description = {"One line per handoff: its id, what it does, which step it is at, who requested it and why."})
final class HandoffsCommand extends AdminAction {
    @Option(names = "--figures", description = "below each handoff its step and how long it has been under way")
    private boolean figures;

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    @Override
    void act(AdminClient client) {
        List<HandoffState> handoffs = client.handoffs();
        mustPrint(json ? HandoffText.json(handoffs) : HandoffText.text(handoffs, figures));
    }
}
