package cleave.server;

import static java.util.Objects.requireNonNull;

import cleave.dfs.DfsIdentityFile;
import cleave.model.DfsIdentity;
import cleave.model.Key;
import cleave.model.Row;
import cleave.server.settings.ScrubSettings;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The world of a transcript of partition servers, and the words for servers, masters and handoffs; those for {@link RequestScript requests},
 * {@link StorageScript storage} and {@link ShowScript what there is} have their own files. Each command prints what came of it:
 * answers to requests, commands that the masters carried out, and which ranges servers begin and cease to serve. A key is {@code ROW},
 * of partition p of table 7, or {@code TABLE/PARTITION/ROW}, or {@code TABLE/PARTITION} for a bound.
 */
final class ServerScript implements Transcripts.Interpreter {
    private final List<String> printed = new ArrayList<>();
    private final TreeMap<String, HandoffOrder> orders = new TreeMap<>();
    private final TreeMap<String, Runnable> arrivals = new TreeMap<>();
    private final TreeMap<String, String> serving = new TreeMap<>();
    private Cluster cluster;
    private List<Transcripts.Words> words;
    private int commandsSeen;

    ServerScript() {
        begin(new Cluster());
    }

    private void begin(Cluster made) {
        cluster = made;
        StorageScript storage = new StorageScript(made);
        words = List.of(
                this::cluster,
                this::masters,
                this::handoffs,
                new RequestScript(made, printed),
                storage,
                new ShowScript(made, storage, printed));
        serving.clear();
        commandsSeen = 0;
    }

    @Override
    public List<String> run(Command command) {
        printed.clear();
        if (words.stream().noneMatch(each -> each.run(command))) {
            throw command.unknown();
        }
        changes();
        return List.copyOf(printed);
    }

    private void changes() {
        List<String> commands = cluster.masters.commands;
        for (; commandsSeen < commands.size(); commandsSeen++) {
            printed.add("masters: " + commands.get(commandsSeen));
        }
        for (Node node : cluster.nodes()) {
            String now = node.ranges().isEmpty()
                    ? "nothing"
                    : node.ranges().stream()
                            .map(range -> Row.idText(range.ownership().range()) + "@"
                                    + range.ownership().epoch()
                                    + range.ownership().interval())
                            .collect(Collectors.joining(", "));
            String before = serving.put(node.id, now);
            if (!now.equals(before == null ? "nothing" : before)) {
                printed.add(node.id + " serves " + now);
            }
        }
    }

    private boolean cluster(Command command) {
        switch (command.word()) {
            case "cluster" -> {
                begin(Cluster.withCheckpointsAt(command.number(0)));
                cluster.scrub =
                        command.has("scrubbing") ? new ScrubSettings(64 << 10, 60_000_000_000L) : ScrubSettings.OFF;
            }
            case "start" -> cluster.start(command.at(0));
            case "stop" -> cluster.node(command.at(0)).membership.stop();
            case "settle" -> cluster.settle();
            case "tick" -> cluster.loop.advanceMillis(command.number(0));
            case "turn" -> cluster.loop.runReady();
            case "jump-clocks" -> cluster.loop.jumpTicks(command.number(0));
            case "take-over" -> cluster.takeOver(command.at(0), command.at(1));
            case "cut-off" -> cluster.cutOff.add(command.at(0));
            case "reconnect" -> cluster.cutOff.clear();
            case "lose-calls" -> cluster.lostCalls.add(command.at(0));
            case "lose-answers-of" -> cluster.lostAnswers.add(command.at(0));
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean masters(Command command) {
        FakeMasters masters = cluster.masters;
        switch (command.word()) {
            case "masters-down" -> masters.down = true;
            case "masters-up" -> masters.down = false;
            case "level" -> masters.level = (int) command.number(0);
            case "taker" -> masters.taker = command.at(0);
            case "dead" -> masters.declareDead(cluster.incarnation(command.at(0)));
            case "dies-unnoticed" -> masters.live.remove(cluster.incarnation(command.at(0)));
            case "lives-again" -> masters.live.add(cluster.incarnation(command.at(0)));
            case "give" -> masters.give(cluster.incarnation(command.at(0)));
            case "give-when-an-answer-is-lost" ->
                masters.whenAnswerIsLost = () -> masters.give(cluster.incarnation(command.at(0)));
            case "lose-answers" -> masters.answersToLose = (int) command.number(0);
            case "refuse-handoffs" -> masters.refuseHandoffs(true);
            case "ask-for-dfs" -> {
                DfsIdentityFile.make(cluster.dfs, DfsIdentity.of(Cluster.DFS)).join();
                masters.dfsNeeded = true;
            }
            case "refuse-heartbeats" -> masters.refusal = command.from(0);
            case "hold-commands" -> masters.holdCommands();
            case "release-commands" -> masters.releaseCommands();
            case "give-up-oldest" -> arrivals.put(command.at(0), masters.giveUpOldest());
            case "arrives" -> requireNonNull(arrivals.get(command.at(0))).run();
            case "give-up-all" -> {
                for (int i = 0; i < 10; i++) {
                    cluster.loop.advanceMillis(2_000);
                    masters.giveUpAll();
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** The sources are the range that holds a key, or all. */
    private boolean handoffs(Command command) {
        switch (command.word()) {
            case "move" -> send(command, order(command, sources(command.at(1)), List.of(), command.at(2)));
            case "merge-all" -> send(command, order(command, cluster.masters.inKeyOrder(), List.of(), command.at(1)));
            case "split" -> {
                List<Key> at =
                        command.plain().stream().skip(2).map(ServerScript::key).toList();
                send(command, order(command, sources(command.at(1)), at, command.list("to")));
            }
            case "order-move" ->
                orders.put(command.at(0), order(command, sources(command.at(1)), List.of(), command.at(2)));
            case "send" -> send(command, requireNonNull(orders.get(command.at(1))));
            case "cancel" -> print("cancel", cluster.cancel(command.at(0), requireNonNull(orders.get(command.at(1)))));
            default -> {
                return false;
            }
        }
        return true;
    }

    private List<Row> sources(String key) {
        return List.of(cluster.masters.rowAt(key.equals("-") ? Key.MIN : key(key)));
    }

    private HandoffOrder order(Command command, List<Row> sources, List<Key> at, String... owners) {
        return cluster.order(sources, at, owners).toBuilder()
                .setDeadlineMillis(Integer.parseInt(command.named("deadline", "0")))
                .build();
    }

    private void send(Command command, HandoffOrder order) {
        print(command.word(), cluster.send(command.at(0), order));
    }

    private void print(String what, Answer<HandoffOutcome> answer) {
        answer.then(outcome -> {
            Status status = outcome.getStatus();
            printed.add((what + ": " + status.getCode() + " " + status.getMessage()).strip());
        });
    }

    static Key key(String text) {
        String[] parts = text.split("/", -1);
        return switch (parts.length) {
            case 1 -> Node.key(text);
            case 2 -> Key.beforePartition(Long.parseLong(parts[0]), parts[1]);
            default -> Key.of(Long.parseLong(parts[0]), parts[1], parts[2]);
        };
    }
}
