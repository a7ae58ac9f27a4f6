package cleave.master.core;

import cleave.master.policy.HighWater;
import cleave.master.state.AnswerCodec;
import cleave.model.DfsIdentity;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** The words of a master's transcript for ranges: their files in the DFS, and how they answer the calls of masters. */
final class RangesScript implements Transcripts.Words {
    private final MasterScript in;
    /** These commands are carried out when files are listed next. */
    private final List<Command> onList = new ArrayList<>();

    RangesScript(MasterScript in) {
        this.in = in;
    }

    @Override
    public boolean run(Command command) {
        return files(command) || calls(command);
    }

    private boolean files(Command command) {
        FakeFiles files = in.bench.files;
        switch (command.word()) {
            case "put" -> command.plain().forEach(path -> files.put(path, command.list("names")));
            case "delete" -> files.delete(command.at(0));
            case "belong" ->
                files.belongTo(
                        command.at(0).equals("none")
                                ? null
                                : command.at(0).equals("own") ? SharedLog.CLUSTER : command.at(0));
            case "dfs" ->
                files.dfs = command.at(0).equals("none")
                        ? null
                        : command.at(0).equals("copy")
                                ? DfsIdentity.ofCopy(command.at(1), DfsIdentity.of(FakeFiles.DFS))
                                : DfsIdentity.of(command.at(0));
            case "note-tables" ->
                files.noted = new HighWater(files.noted.version(), files.noted.nextTable() + command.number(0));
            case "hold-lists" -> files.holdLists();
            case "release-lists" -> files.releaseLists();
            case "short-of-space" -> files.shortOfSpace = true;
            case "on-list" -> {
                onList.add(command.rest(0));
                files.beforeList(() -> {
                    onList.forEach(in::carryOut);
                    onList.clear();
                });
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean calls(Command command) {
        FakeRanges ranges = in.bench.ranges;
        switch (command.word()) {
            case "on-call" -> {
                long call = ranges.calls().size() + command.number(0);
                Command then = command.rest(1);
                ranges.beforeCall(() -> {
                    if (ranges.calls().size() == call) {
                        in.carryOut(then);
                    }
                });
            }
            case "lose-answers" -> in.master(command.at(0)).replica().loseAnswers(command.has("on"));
            case "create" -> ranges.create("account", command.at(0), command.number(1));
            case "create-up-to" -> {
                for (long id = 1; id <= command.number(0); id++) {
                    ranges.create("account", "table%06d".formatted(id), id);
                }
            }
            case "answer-pages" -> ranges.answerPages();
            case "damage" -> ranges.damage("account", command.at(0));
            case "fail" ->
                ranges.fail((int) command.number(0), ErrorCode.valueOf(command.at(1)), command.has("executed"));
            case "hold" -> ranges.hold(!command.has("off"));
            case "release" ->
                List.copyOf(ranges.held().values())
                        .forEach(call -> call.complete(FakeRanges.outcome(
                                AnswerCodec.status(ErrorCode.valueOf(command.at(0)), "released"), List.of())));
            case "cut-call" -> ranges.cut(ranges.orders().get(0).getHandoff());
            case "is-carried-out" -> ranges.carriedOut(ranges.orders().get(0), null);
            default -> {
                return false;
            }
        }
        return true;
    }
}
