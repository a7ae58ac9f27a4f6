package cleave.master.core;

import cleave.master.state.AnswerCodec;
import cleave.master.state.Drop;
import cleave.master.state.Shown;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import cleave.wire.GroupMember;
import cleave.wire.HandoffState;
import cleave.wire.MembersReply;
import cleave.wire.Status;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The requests of operators, in a master's transcript. */
final class OperatorScript implements Transcripts.Words {
    private final MasterScript in;

    OperatorScript(MasterScript in) {
        this.in = in;
    }

    @Override
    public boolean run(Command command) {
        MasterLoop loop = in.master(command).loop();
        Operator operator = loop.operator();
        switch (command.word()) {
            case "move" ->
                in.ask(
                        command,
                        operator.move(AdminMoveRequest.newBuilder()
                                .setRange(in.row(command.at(0)).id())
                                .setServer(command.at(1))
                                .build()));
            case "merge" ->
                in.ask(
                        command,
                        operator.merge(AdminMergeRequest.newBuilder()
                                .setRange(in.row(command.at(0)).id())
                                .setWith(
                                        command.plain().size() < 2
                                                ? 0
                                                : in.row(command.at(1)).id())
                                .build()));
            case "split" -> in.ask(command, operator.split(split(command)));
            case "drain", "undrain" ->
                in.ask(
                        command,
                        operator.drain(AdminDrainRequest.newBuilder()
                                .setServer(command.at(0))
                                .setNumber(Long.parseLong(command.named("number", "0")))
                                .setUndo(command.word().equals("undrain"))
                                .build()));
            case "cancel" -> in.ask(command, operator.cancel(command.number(0)));
            case "drop" -> in.ask(command, loop.dropTable(new Drop("account", command.at(0), command.number(1))));
            case "masters" -> in.ask(command, operator.changeMasters(masters(command)));
            case "raft-agrees" -> {
                in.bench
                        .log
                        .reconfigurations
                        .get((int) command.number(0))
                        .answer()
                        .complete(cleave.master.state.MasterAnswer.ok(7));
                in.bench.time.runReady();
            }
            case "blank" -> in.bench.joins.blank(command.at(0));
            case "nobody-at" -> in.bench.joins.answers.remove(command.at(0));
            case "refuses-to-join" ->
                in.bench.joins.answers.put(
                        command.at(0), AnswerCodec.status(cleave.wire.ErrorCode.ALREADY_EXISTS, command.from(1)));
            case "members" -> {
                MembersReply reply = now(operator.members(SharedLog.CLUSTER));
                in.print(reply.getStatus().getCode() + " " + reply.getMembersList());
            }
            case "set" -> {
                String[] setting = command.arguments().get(0).split("=");
                Status status =
                        now(operator.change(Map.of(setting[0], setting[1]))).getStatus();
                in.print("answer to set: " + status.getCode() + " " + status.getMessage());
            }
            case "handoffs" -> {
                List<HandoffState> all = now(operator.handoffs()).getHandoffsList();
                in.print(
                        all.isEmpty()
                                ? "none"
                                : all.stream()
                                        .map(each -> each.getHandoff() + " " + each.getKind() + ", " + each.getStep())
                                        .collect(Collectors.joining("; ")));
            }
            case "events" ->
                in.print(events(operator).stream().map(Event::getKind).collect(Collectors.joining(" ")));
            case "event" ->
                events(operator).stream()
                        .filter(event -> event.getKind().equals(command.at(0)))
                        .forEach(event -> in.print(event.getRangesList() + " " + event.getReason() + " "
                                + event.getEvidenceList().stream()
                                        .map(each -> each.getName() + "=" + each.getValue())
                                        .toList()));
            default -> {
                return false;
            }
        }
        return true;
    }

    private <T> T now(CompletableFuture<T> reply) {
        in.bench.time.runReady();
        return reply.join();
    }

    private List<Event> events(Operator operator) {
        return now(operator.events(EventsRequest.getDefaultInstance())).getEventsList();
    }

    private static AdminSplitRequest split(Command command) {
        AdminSplitRequest.Builder request = AdminSplitRequest.newBuilder();
        command.plain().forEach(key -> request.addKeys(Shown.key(key).toWire()));
        if (!command.named("table", "").isEmpty()) {
            request.setAccount("account").setTable(command.named("table", ""));
        }
        request.addAllPartitionKeys(List.of(command.list("partitions")));
        return request.build();
    }

    private static ChangeMastersRequest masters(Command command) {
        ChangeMastersRequest.Builder request = ChangeMastersRequest.newBuilder().setOut(command.named("out", ""));
        String in = command.named("in", "");
        if (!in.isEmpty()) {
            request.setIn(GroupMember.newBuilder()
                    .setId(in)
                    .setRaft("raft-" + in + ":1")
                    .setRpc("rpc-" + in + ":1"));
        }
        return request.build();
    }
}
