package cleave.master.core;

import static java.util.Objects.requireNonNull;

import cleave.master.core.Bench.Master;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.Proposals;
import cleave.master.state.Shown;
import cleave.model.FeatureLevels;
import cleave.model.Row;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The world of a master's transcript, and the words for time and masters; those for {@link ServersScript servers}, {@link RangesScript their
 * files and ranges}, {@link OperatorScript operators} and {@link ShowScript what there is} have their own files. Each command prints its
 * effects, in order: the commands that entered the log, changed orders and answers to servers, calls, and answers to what was asked
 * before. A key is {@code -}, {@code TABLE} or {@code TABLE/PARTITION}, and names the range that holds it.
 */
final class MasterScript implements Transcripts.Interpreter {
    private static final Pattern COUNTED = Pattern.compile("(.*) \\((\\d+) times\\)");

    final Bench bench = new Bench();
    private final List<String> printed = new ArrayList<>();
    private final ServersScript servers = new ServersScript(this);
    private final List<Transcripts.Words> words = List.of(
            this::time,
            this::masters,
            servers,
            new RangesScript(this),
            new ShowScript(this, servers),
            new OperatorScript(this));

    private CompletableFuture<?> asked = CompletableFuture.completedFuture(null);

    MasterScript() {
        bench.listen(text -> {
            if (!text.startsWith("NoOp") && !text.startsWith("SeedSettings")) {
                print(text);
            }
        });
    }

    @Override
    public List<String> run(Command command) {
        printed.clear();
        carryOut(command);
        return List.copyOf(printed);
    }

    void carryOut(Command command) {
        if (words.stream().noneMatch(each -> each.run(command))) {
            throw command.unknown();
        }
    }

    /** Counts the repetitions of a line. */
    void print(String text) {
        String before = printed.isEmpty() ? "" : printed.get(printed.size() - 1);
        Matcher counted = COUNTED.matcher(before);
        if (before.equals(text)) {
            printed.set(printed.size() - 1, text + " (2 times)");
        } else if (counted.matches() && counted.group(1).equals(text)) {
            printed.set(printed.size() - 1, text + " (" + (Integer.parseInt(counted.group(2)) + 1) + " times)");
        } else {
            printed.add(text.strip());
        }
    }

    /** Its answer is printed when it comes. */
    void ask(Command command, CompletableFuture<MasterAnswer> answer) {
        asked = answer;
        answer.whenComplete((done, failed) ->
                print("answer to " + command.word() + ": " + (done == null ? failed : Shown.answer(done))));
        bench.time.runReady();
    }

    /** The one that is named by {@code at=}, or the first. */
    Master master(Command command) {
        return master(command.named("at", "m1"));
    }

    Master master(String named) {
        return requireNonNull(bench.masters.get(named), "no master " + named);
    }

    Row row(String key) {
        return requireNonNull(bench.log.state().rows().at(Shown.key(key)), "no row at " + key);
    }

    private boolean time(Command command) {
        switch (command.word()) {
            // With heartbeats, or without.
            case "pass" -> bench.pass(command.number(0));
            case "tick" -> bench.time.advanceMillis(command.number(0));
            case "ready" -> bench.time.runReady();
            case "wait" -> {
                for (int i = 0; i < 400 && !asked.isDone(); i++) {
                    bench.pass(200);
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean masters(Command command) {
        switch (command.word()) {
            case "leader" -> bench.leader(command.at(0));
            case "master" -> {
                int allowed = Integer.parseInt(command.named("allowed", "" + FeatureLevels.SUPPORTED.max()));
                bench.master(command.at(0), requireNonNull(Proposals.levels(command.named("levels", ""))), allowed);
            }
            case "lead" -> master(command.at(0)).replica().lead();
            case "is-elected" -> master(command.at(0)).replica().isElected();
            case "step-down" -> master(command.at(0)).replica().stepDown();
            case "cut-off" -> master(command.at(0)).replica().cutOff();
            case "heal" -> master(command.at(0)).replica().heal();
            case "is-removed" -> master(command.at(0)).replica().isRemoved();
            case "leaves" -> bench.log.leaves(command.at(0));
            case "stop" -> master(command.at(0)).loop().stop();
            case "answers-others" -> bench.answerOthers(command.at(0), command.has("on"));
            // Commands that some leader proposed, or, by "execute", the first.
            case "apply" -> bench.log.apply(proposed(command));
            case "execute" -> ask(command, master("m1").loop().execute(proposed(command)));
            default -> {
                return false;
            }
        }
        return true;
    }

    private MasterCommand proposed(Command command) {
        return new Proposals(bench.log.state(), servers::incarnation).of(command.rest(0));
    }
}
