package cleave.deploy.admin;

import picocli.CommandLine.Command;

/** {@code cleave admin handoffs}. */
@Command(
        name = "handoffs",
        mixinStandardHelpOptions = true,
        header = "the splits, merges and moves under way",
        description = {"One line a handoff: what becomes of which ranges, how far it is, and who wanted it why."})
final class HandoffsCommand extends AdminAction {
    @Override
    void act(AdminClient client) {
        print(HandoffText.handoffs(client.handoffs()));
    }
}
