package cleave.deploy.admin;

import cleave.model.HandoffNumber;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code cleave admin cancel}. */
@Command(
        name = "cancel",
        mixinStandardHelpOptions = true,
        header = "cancel a handoff whose commit was not sent yet",
        description = {"Cancels the request behind it, too. Returns when the handoff has ended."})
final class CancelCommand extends AdminAction {
    @Parameters(paramLabel = "HANDOFF", description = "id of the handoff, as 'cleave admin handoffs' shows it: 3.17")
    private String handoff = "";

    @Override
    void act(AdminClient client) {
        long number = read(() -> HandoffNumber.parse(handoff));
        change(client, () -> {
            client.cancel(number);
            return "Handoff " + handoff + " is cancelled; its ranges are unchanged.\n";
        });
    }
}
