package cleave.deploy.admin;

import picocli.CommandLine.Command;

/** {@code cleave admin handoffs}. */
@Command(
        name = "handoffs",
        mixinStandardHelpOptions = true,
        header = "the splits, merges and moves under way",
        description = {"One line per handoff: its kind, ranges, step, requester and reason."})
final class HandoffsCommand extends AdminAction {
    @Override
    void act(AdminClient client) {
        print(AdminText.handoffs(client.handoffs()));
    }
}
