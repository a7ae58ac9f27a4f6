package cleave.deploy.admin;

import cleave.model.HandoffNumber;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code cleave admin cancel}. */
@Command(
        name = "cancel",
        mixinStandardHelpOptions = true,
        header = "give up a handoff whose commit was not sent",
        description = {"What wanted it is given up, too. Answers when the handoff has ended."})
final class CancelCommand extends AdminAction {
    @Parameters(paramLabel = "HANDOFF", description = "as 'cleave admin handoffs' names it: 3.17")
    private String handoff = "";

    @Override
    void act(AdminClient client) {
        client.cancel(read(() -> HandoffNumber.parse(handoff)));
        print("Handoff " + handoff + " is given up; its ranges are as they were.\n");
    }
}
