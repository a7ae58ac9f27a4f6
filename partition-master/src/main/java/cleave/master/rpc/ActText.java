package cleave.master.rpc;

import cleave.model.Row;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.RestoreRequest;
import cleave.wire.SettingsChange;
import java.util.stream.Collectors;

/** The arguments of operators' acts, for people: none of them is a secret. Stateless. */
final class ActText {
    private ActText() {}

    static String of(AdminSplitRequest request) {
        return request.getTable().isEmpty()
                ? "bounds=" + request.getKeysCount()
                : "account=" + request.getAccount() + " table=" + request.getTable() + " at="
                        + String.join(",", request.getPartitionKeysList());
    }

    static String of(AdminMergeRequest request) {
        return "range=" + Row.idText(request.getRange())
                + (request.getWith() == 0 ? "" : " with=" + Row.idText(request.getWith()));
    }

    static String of(AdminMoveRequest request) {
        return "range=" + Row.idText(request.getRange()) + " to=" + request.getServer();
    }

    static String of(AdminDrainRequest request) {
        return "server=" + request.getServer() + (request.getUndo() ? " undo" : "");
    }

    static String of(ChangeMastersRequest request) {
        String out = request.getOut().isEmpty() ? "" : "out=" + request.getOut();
        String in = request.hasIn()
                ? "in=" + request.getIn().getId() + " raft=" + request.getIn().getRaft() + " rpc="
                        + request.getIn().getRpc()
                : "";
        return (out + " " + in).strip();
    }

    static String of(SettingsChange request) {
        return request.getSettingsList().stream()
                .map(setting -> setting.getName() + "=" + setting.getValue())
                .collect(Collectors.joining(" "));
    }

    static String of(RestoreRequest request) {
        return "ranges=" + request.getRangesCount() + " next-table=" + request.getNextTable();
    }
}
