package cleave.master.core;

import static java.util.Objects.requireNonNull;

import cleave.master.core.Bench.Master;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.Proposals;
import cleave.master.state.Shown;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffProgress;
import cleave.wire.LeaderClock;
import cleave.wire.RangeState;
import cleave.wire.RangeTable;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The world of a master's transcript. Each command prints its effects, in order: the commands that entered the log, changed
 * orders and answers to servers, calls, and answers to what was asked before. A key is {@code -}, {@code TABLE} or
 * {@code TABLE/PARTITION}, and names the range that holds it.
 */
final class MasterScript implements Transcripts.Interpreter {
    private static final long MEBIBYTE = 1 << 20;
    private static final Pattern COUNTED = Pattern.compile("(.*) \\((\\d+) times\\)");

    final Bench bench = new Bench();
    private final TreeMap<String, Master> masters = new TreeMap<>();
    private final TreeMap<String, FakeServer> servers = new TreeMap<>();
    /** The error of each wrong clock of a server, in ticks. */
    private final TreeMap<String, Long> aheads = new TreeMap<>();

    private final List<String> printed = new ArrayList<>();
    private final ModelLoad load = new ModelLoad();
    private final OperatorScript operator = new OperatorScript(this);
    /** These commands are carried out when files are listed next. */
    private final List<Command> onList = new ArrayList<>();

    private CompletableFuture<?> asked = CompletableFuture.completedFuture(null);
    /** By what servers' clocks are ahead of the leader's because it jumped. */
    private long jumped;

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

    private void carryOut(Command command) {
        if (!time(command) && !server(command) && !master(command) && !files(command) && !shows(command)) {
            operator.run(command);
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
    Master master(String named) {
        return requireNonNull(masters.get(named), "no master " + named);
    }

    static String at(Command command) {
        return command.named("at", "m1");
    }

    private FakeServer server(String id) {
        return requireNonNull(servers.get(id), "no server " + id);
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
            case "jump" -> {
                long ticks = ticks(command.at(0));
                bench.time.jumpTicks(ticks);
                jumped += ticks;
            }
            case "ahead" -> aheads.put(command.at(0), ticks(command.at(1)));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static long ticks(String text) {
        return switch (text) {
            case "min" -> Long.MIN_VALUE;
            case "max" -> Long.MAX_VALUE;
            default ->
                (long) (Double.parseDouble(text.substring(0, text.length() - 1))
                        * (text.endsWith("h") ? 3_600 : 1)
                        * Ticks.PER_SECOND);
        };
    }

    private long clock(String id) {
        long ahead = aheads.getOrDefault(id, 0L);
        return ahead == Long.MIN_VALUE || ahead == Long.MAX_VALUE ? ahead : bench.time.ticks() - jumped + ahead;
    }

    private boolean server(Command command) {
        switch (command.word()) {
            case "server" -> {
                String id = command.at(0);
                FakeServer server = bench.server(id, master(at(command)));
                servers.put(id, server);
                server.measure(load::measure);
                if (command.has("clocked")) {
                    server.showClock(() -> clock(id));
                }
            }
            case "owner" -> {
                FakeServer owner = bench.server(command.at(0), master(at(command)));
                servers.put(command.at(0), owner);
                bench.pass(700);
                bench.obey(owner);
                bench.pass(200);
            }
            case "diligent" -> bench.beDiligent();
            case "idle" -> {
                bench.beIdle();
                bench.servers().forEach(each -> each.serveOnly(List.of()));
            }
            case "obey" -> bench.obey(server(command.at(0)));
            case "open" -> bench.open(server(command.at(0)), row(command.at(1)));
            case "serve-all" -> bench.log.state().rows().all().forEach(server(command.at(0))::serve);
            case "silence" -> bench.silence(server(command.at(0)));
            case "speak" -> bench.speak(server(command.at(0)));
            case "break" -> server(command.at(0)).breakStream();
            case "refuse" -> bench.ranges.refuseAt("address-of-" + command.at(0));
            case "beat" -> server(command.at(0)).beat();
            case "connect" ->
                server(command.at(0)).connect(master(command.at(1)).loop());
            case "progress" -> server(command.at(0)).makeProgress(command.has("on"));
            case "low" -> server(command.at(0)).isLow(!command.has("off"));
            // The DFS answers it from now on, or no more.
            case "probe" -> {
                long since = command.has("answers") ? 0 : bench.time.nanos();
                server(command.at(0)).probe(() -> since == 0 ? 0 : (bench.time.nanos() - since) / 1_000_000);
            }
            case "complain" -> server(command.at(0)).complain(row(command.at(1)), command.from(2));
            case "complain-of-store" -> server(command.at(0)).complainOfStore(row(command.at(1)), command.from(2));
            case "levels" -> server(command.at(0)).support(requireNonNull(Proposals.levels(command.at(1))));
            case "use-dfs" -> server(command.at(0)).use(command.from(1));
            case "carry-out" -> server(command.at(0)).carryOut(handoffs(command));
            case "load" -> load.be(command);
            case "register" -> {
                MasterAnswer answer = bench.register(
                        master(at(command)),
                        command.at(0),
                        command.named("dfs", FakeFiles.DFS),
                        requireNonNull(Proposals.levels(command.named("levels", ""))),
                        command.named("clock", "0s").equals("min")
                                ? Long.MIN_VALUE
                                : bench.time.ticks() - jumped + ticks(command.named("clock", "0s")));
                print("registration: " + Shown.answer(answer));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** The handoff with that number or, by {@code last}, the first that was ordered; none if none is named. */
    private HandoffProgress[] handoffs(Command command) {
        if (command.plain().size() == 1) {
            return new HandoffProgress[0];
        }
        long number =
                command.at(1).equals("last") ? bench.ranges.orders().get(0).getHandoff() : command.number(1);
        return new HandoffProgress[] {
            HandoffProgress.newBuilder()
                    .setHandoff(number)
                    .setStep(command.from(2))
                    .build()
        };
    }

    private Incarnation incarnation(String id) {
        return bench.log.state().servers().values().stream()
                .map(each -> each.incarnation())
                .filter(each -> each.server().equals(id))
                .findFirst()
                .orElseGet(() -> server(id).incarnation());
    }

    private boolean master(Command command) {
        switch (command.word()) {
            case "leader" -> masters.put(command.at(0), bench.leader(command.at(0)));
            case "master" -> {
                int allowed = Integer.parseInt(command.named("allowed", "" + FeatureLevels.SUPPORTED.max()));
                masters.put(
                        command.at(0),
                        bench.master(
                                command.at(0), requireNonNull(Proposals.levels(command.named("levels", ""))), allowed));
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
        return new Proposals(bench.log.state(), this::incarnation).of(rest(command, 0));
    }

    private boolean files(Command command) {
        FakeFiles files = bench.files;
        switch (command.word()) {
            case "put" ->
                command.plain()
                        .forEach(path -> files.put(
                                path,
                                command.named("names", "").isEmpty()
                                        ? new String[0]
                                        : command.named("names", "").split(",")));
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
                files.noted = new cleave.master.policy.HighWater(
                        files.noted.version(), files.noted.nextTable() + command.number(0));
            case "hold-lists" -> files.holdLists();
            case "release-lists" -> files.releaseLists();
            case "short-of-space" -> files.shortOfSpace = true;
            case "on-list" -> {
                onList.add(rest(command, 0));
                files.beforeList(() -> {
                    onList.forEach(this::carryOut);
                    onList.clear();
                });
            }
            case "on-call" -> {
                long call = bench.ranges.calls().size() + command.number(0);
                Command then = rest(command, 1);
                bench.ranges.beforeCall(() -> {
                    if (bench.ranges.calls().size() == call) {
                        carryOut(then);
                    }
                });
            }
            case "lose-answers" -> master(command.at(0)).replica().loseAnswers(command.has("on"));
            case "create" -> bench.ranges.create("account", command.at(0), command.number(1));
            case "create-up-to" -> {
                for (long id = 1; id <= command.number(0); id++) {
                    bench.ranges.create("account", "table%06d".formatted(id), id);
                }
            }
            case "answer-pages" -> bench.ranges.answerPages();
            case "damage" -> bench.ranges.damage("account", command.at(0));
            case "fail" ->
                bench.ranges.fail((int) command.number(0), ErrorCode.valueOf(command.at(1)), command.has("executed"));
            case "hold" -> bench.ranges.hold(!command.has("off"));
            case "release" ->
                List.copyOf(bench.ranges.held().values())
                        .forEach(call -> call.complete(FakeRanges.outcome(
                                AnswerCodec.status(ErrorCode.valueOf(command.at(0)), "released"), List.of())));
            case "cut-call" -> bench.ranges.cut(bench.ranges.orders().get(0).getHandoff());
            case "is-carried-out" ->
                bench.ranges.carriedOut(bench.ranges.orders().get(0), null);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static String shown(RangeTable table) {
        return table.getId() + " " + table.getAccount() + "/" + table.getName() + " " + table.getState();
    }

    private static Command rest(Command command, int from) {
        List<String> arguments = command.arguments();
        return new Command(arguments.get(from), arguments.subList(from + 1, arguments.size()));
    }

    private boolean shows(Command command) {
        switch (command.word()) {
            case "map" -> printed.addAll(Shown.rows(bench.log.state()));
            case "servers" -> print(bench.log.state().servers().keySet().toString());
            case "state" -> {
                RangeState state = bench.status(master("m1")).getStatesList().stream()
                        .filter(each -> each.getRange() == row(command.at(0)).id())
                        .findFirst()
                        .orElseThrow();
                print(state.getState() + (state.getTrouble().isEmpty() ? "" : ", " + state.getTrouble()));
            }
            case "status" -> {
                StatusReply status = bench.status(master(at(command)));
                print(status.getStatus().getCode() + ", leader " + status.getLeader() + ", "
                        + status.getMap().getRowsCount() + " rows, servers "
                        + status.getMap().getServersList().stream()
                                .map(each -> each.getIncarnation().getServer())
                                .toList()
                        + ", "
                        + status.getStatesList().stream()
                                .map(each -> each.getState() + " " + (long) each.getEntitiesPerSecond() + "/s")
                                .toList()
                        + ", peers "
                        + status.getPeersList().stream()
                                .map(each -> each.getId() + " " + each.getRole())
                                .toList());
            }
            case "tables" -> {
                String named = command.named("table", "");
                StatusRequest.Builder request =
                        StatusRequest.newBuilder().setTables(true).setTable(named);
                StatusReply status = bench.status(
                        master(at(command)), request.setAccount("account").build());
                status.getStatesList()
                        .forEach(each -> print(shown(each.getFirstTable())
                                + (each.hasLastTable() ? " … " + shown(each.getLastTable()) : "")));
                if (!status.getNamesMissing().isEmpty()) {
                    print(status.getNamesMissing());
                }
            }
            case "level" -> {
                StatusReply status = bench.status(master("m1"));
                print("level " + status.getLevel() + ", next " + status.getNextLevel() + ", held back by "
                        + status.getHeldBackByList());
            }
            case "readiness" -> {
                var readiness = master(command.at(0)).loop().readiness();
                print((readiness.ready() ? "ready" : "not ready")
                        + (readiness.missing().isEmpty() ? "" : ": ")
                        + readiness.missing());
            }
            case "terms" ->
                print(masters.entrySet().stream()
                        .map(each ->
                                each.getKey() + " " + each.getValue().replica().leaderTerm())
                        .toList()
                        .toString());
            case "proofs" ->
                print(bench.log.commands().stream()
                                .filter(NoOp.class::isInstance)
                                .count() + "");
            case "clock" -> {
                LeaderClock clock = server(command.at(0)).clock();
                print(
                        clock == null
                                ? "no clock"
                                : "told " + (clock.getTicks() - bench.time.ticks() + jumped)
                                        + " after the servers' time, skew "
                                        + clock.getSkewTicks() + ", after heartbeat "
                                        + (clock.getAskedNanos()
                                                - server(command.at(0)).sentNanos()) + ", ahead "
                                        + clock.getAheadTicks() + (clock.getOff() ? ", off" : ""));
            }
            case "clocks" -> {
                StatusReply status = bench.status(master("m1"));
                print("leader ahead " + status.getLeaderAheadTicks() + ", off "
                        + status.getClocksList().stream()
                                .filter(each -> each.getOff())
                                .map(each -> each.getIncarnation().getServer())
                                .toList());
            }
            case "loads" ->
                print(bench.servers().stream()
                        .map(each -> each.incarnation().server() + " "
                                + Math.round(load.of(bench.log.state().rows().all().stream()
                                        .filter(row -> each.incarnation().equals(row.owner()))
                                        .toList())))
                        .toList()
                        .toString());
            case "files" -> printed.addAll(bench.files.paths());
            case "lists-held" -> print("" + bench.files.listsHeld());
            case "dfs-of-the-cluster" ->
                print(
                        bench.log.state().dfs().isEmpty()
                                ? "none"
                                : bench.log.state().dfs());
            case "is-dropped-everywhere" -> print("" + bench.ranges.isDroppedEverywhere(command.number(0)));
            case "table" -> print(String.valueOf(bench.ranges.table("account", command.at(0))));
            case "drops" -> print(bench.log.state().drops().values().toString());
            case "metric" ->
                print(""
                        + bench.metric(
                                command.at(0),
                                command.arguments().stream()
                                        .skip(1)
                                        .flatMap(each -> Arrays.stream(each.split("=")))
                                        .toArray(String[]::new)));
            case "orders" -> print("" + bench.ranges.orders().size());
            default -> {
                return false;
            }
        }
        return true;
    }

    /** The measurements of servers under a load that is spread over a hundred partitions of table 3. */
    private static final class ModelLoad {
        private static final int PARTITIONS = 100;
        private static final long TABLE = 3;
        private double entities = -1;
        private double popular;
        private long bytes;
        private boolean nonsense;

        void be(Command command) {
            entities = Double.parseDouble(command.named("entities", "0"));
            popular = Double.parseDouble(command.named("popular", "0"));
            bytes = Long.parseLong(command.named("mebibytes", "0")) * MEBIBYTE;
            nonsense = command.has("nonsense");
        }

        private static final List<Key> KEYS = IntStream.range(0, PARTITIONS)
                .mapToObj(i -> Key.beforePartition(TABLE, String.format("p%02d", i)))
                .toList();

        /** All partitions are asked for alike, but the popular one. */
        private double share(int ordinal) {
            return (1 - popular) / PARTITIONS + (ordinal == PARTITIONS / 2 ? popular : 0);
        }

        private double share(KeyRange range) {
            double sum = 0;
            for (int i = 0; i < PARTITIONS; i++) {
                sum += range.contains(KEYS.get(i)) ? share(i) : 0;
            }
            return sum;
        }

        double of(Iterable<Row> rows) {
            double sum = 0;
            for (Row row : rows) {
                sum += Math.max(0, entities) * share(row.range());
            }
            return sum;
        }

        void measure(Row row, cleave.wire.RangeLoad.Builder load) {
            if (entities < 0) {
                return;
            }
            double here = share(row.range());
            double rate = entities * here;
            load.setEntitiesPerSecond(rate).setEntitiesPerSecond30S(rate).setBytes((long) (bytes * here));
            load.setMiddle(cleave.wire.Middle.newBuilder()
                    .setAt(KEYS.get(PARTITIONS / 2).toWire())
                    .setLeft(0.5));
            if (nonsense) {
                load.setEntitiesPerSecond(Double.NaN)
                        .setEntitiesPerSecond30S(Double.NEGATIVE_INFINITY)
                        .setBytes(-1)
                        .setMiddle(cleave.wire.Middle.newBuilder()
                                .setAt(Key.of(TABLE, "p", "r").toWire())
                                .setLeft(Double.NaN));
            }
            double left = 0;
            for (int i = 0; i < PARTITIONS && rate > 0; i++) {
                Key at = KEYS.get(i);
                if (!row.range().contains(at)) {
                    continue;
                }
                if (i % 5 == 0) {
                    load.addCandidates(cleave.wire.SplitCandidate.newBuilder()
                            .setAt(at.toWire())
                            .setLeft((int) (1_000 * left / here))
                            .setRight((int) (1_000 * (1 - left / here)))
                            .setHits(1_000));
                }
                left += share(i);
                if (i == PARTITIONS / 2 && popular > 0) {
                    load.setHottest(cleave.wire.HotPartition.newBuilder()
                            .setFirst(at.toWire())
                            .setPart(popular / here)
                            .setSamples(1_000));
                }
            }
        }
    }
}
