package cleave.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.DfsIdentityFile;
import cleave.model.DfsIdentity;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.server.range.ManifestFiles;
import cleave.server.range.Range;
import cleave.server.settings.ScrubSettings;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.DropReply;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.Route;
import cleave.wire.Status;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The world of a transcript of partition servers. Each command prints what came of it: answers to requests, commands that the
 * masters carried out, and which ranges servers begin and cease to serve. A key is {@code ROW}, of partition p of table 7, or
 * {@code TABLE/PARTITION/ROW}, or {@code TABLE/PARTITION} for a bound. Where a file is named, {@code NAME} stands for the path that
 * {@code log NAME} remembered, and anything else for all paths that hold the parts between its {@code +}.
 */
final class ServerScript implements Transcripts.Interpreter {
    private Cluster cluster = new Cluster();
    private final List<String> printed = new ArrayList<>();
    private final TreeMap<String, String> paths = new TreeMap<>();
    /** Remembered ranges, which may be closed by now. */
    private final TreeMap<String, Range> ranges = new TreeMap<>();

    private final TreeMap<String, HandoffOrder> orders = new TreeMap<>();
    private final TreeMap<String, Runnable> arrivals = new TreeMap<>();
    private final TreeMap<String, String> serving = new TreeMap<>();
    private final TreeMap<Key, Long> timestamps = new TreeMap<>();
    private final IdentityHashMap<Range, Long> rangeTimestamps = new IdentityHashMap<>();
    private int commandsSeen;
    private int appendsSeen;
    private int barriersSeen;

    @Override
    public List<String> run(Command command) {
        printed.clear();
        if (!cluster(command)
                && !masters(command)
                && !requests(command)
                && !handoffs(command)
                && !stores(command)
                && !dfs(command)
                && !shows(command)) {
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
                cluster = Cluster.withCheckpointsAt(command.number(0));
                cluster.scrub =
                        command.has("scrubbing") ? new ScrubSettings(64 << 10, 60_000_000_000L) : ScrubSettings.OFF;
                serving.clear();
                timestamps.clear();
                commandsSeen = 0;
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
            // The only one of a server, or that which holds a key.
            case "remember" -> {
                Node node = cluster.node(command.at(1));
                ranges.put(command.at(0), command.plain().size() < 3 ? node.range() : node.rangeOf(key(command.at(2))));
            }
            // Where requests wait for a range that is expected.
            case "remember-arriving" -> {
                Row row = cluster.masters.onlyRow();
                Route route = Route.newBuilder()
                        .setRange(row.id())
                        .setEpoch(row.epoch())
                        .build();
                Route earlier = route.toBuilder().setEpoch(row.epoch() - 1).build();
                printed.add("an earlier epoch is "
                        + (cluster.node(command.at(1)).directory.range(earlier) == null ? "not expected" : "expected"));
                ranges.put(
                        command.at(0),
                        requireNonNull(cluster.node(command.at(1)).directory.range(route)));
            }
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

    private static Key key(String text) {
        String[] parts = text.split("/", -1);
        return switch (parts.length) {
            case 1 -> Node.key(text);
            case 2 -> Key.beforePartition(Long.parseLong(parts[0]), parts[1]);
            default -> Key.of(Long.parseLong(parts[0]), parts[1], parts[2]);
        };
    }

    /** The remembered range of this name, or that of the server that holds the key. */
    private Range range(String name, Key key) {
        Range remembered = ranges.get(name);
        return remembered == null ? cluster.node(name).rangeOf(key) : remembered;
    }

    private static String text(Status status) {
        return (status.getCode() + " " + status.getMessage()).strip();
    }

    private void write(Command command, WriteOperation... operations) {
        Key key = key(command.at(1));
        Range range = range(command.at(0), key);
        Answer<WriteReply> answer = Node.send(range, Integer.parseInt(command.named("deadline", "0")), operations);
        answer.then(reply -> {
            printed.add(command.word() + " " + command.at(1) + ": "
                    + reply.getStatus().getCode()
                    + (reply.getFailedOperation() > 0 ? " at " + reply.getFailedOperation() : ""));
            check(key, range, reply);
            if (command.word().equals("delete") && reply.getStatus().getCode() == ErrorCode.OK) {
                assertThat(reply.getTimestampsList()).containsExactly(0L);
            }
        });
    }

    /** Timestamps rise within a range. Those of one key rise also when its range changes its owner. */
    private void check(Key key, Range range, WriteReply reply) {
        for (long timestamp : reply.getTimestampsList()) {
            if (timestamp != 0) { // Of a deletion.
                assertThat(timestamp).isGreaterThan(timestamps.getOrDefault(key, 0L));
                assertThat(timestamp).isGreaterThan(rangeTimestamps.getOrDefault(range, 0L));
                timestamps.put(key, timestamp);
                rangeTimestamps.put(range, timestamp);
            }
        }
    }

    private boolean requests(Command command) {
        switch (command.word()) {
            // Requests are on their way until the loop is turned; "put" and "value" turn it.
            case "insert", "replace", "merge", "delete" ->
                write(
                        command,
                        Node.op(
                                WriteKind.valueOf(command.word().toUpperCase(java.util.Locale.ROOT)),
                                key(command.at(1)),
                                command.word().equals("delete") ? null : command.named("value", "1")));
            case "transaction" ->
                write(
                        command,
                        command.plain().stream()
                                .skip(1)
                                .map(each -> each.split(":"))
                                .map(each -> Node.op(
                                        WriteKind.valueOf(each.length < 2 ? "INSERT" : each[1]),
                                        key(each[0]),
                                        each.length > 2 ? each[2] : null))
                                .toArray(WriteOperation[]::new));
            case "read" ->
                Node.read(range(command.at(0), key(command.at(1))), key(command.at(1)))
                        .then(reply -> printed.add("read " + command.at(1) + ": " + Node.valueOf(reply)));
            case "put" -> {
                for (String row : command.plain().subList(1, command.plain().size())) {
                    WriteReply reply = cluster.node(command.at(0))
                            .write(WriteKind.INSERT_OR_REPLACE, key(row), command.named("value", "1"));
                    check(key(row), cluster.node(command.at(0)).rangeOf(key(row)), reply);
                    if (reply.getStatus().getCode() != ErrorCode.OK) {
                        printed.add("put " + row + ": " + reply.getStatus().getCode());
                    }
                }
            }
            case "value" ->
                printed.add(command.plain().stream()
                        .skip(1)
                        .map(row -> row + "=" + cluster.node(command.at(0)).value(key(row)))
                        .collect(Collectors.joining(" ")));
            case "drop" ->
                Node.drop(
                                ranges.containsKey(command.at(0))
                                        ? ranges.get(command.at(0))
                                        : cluster.node(command.at(0)).ranges().get(0),
                                command.number(1))
                        .then((DropReply reply) ->
                                printed.add("drop: " + reply.getStatus().getCode()));
            // Many rows: row0, row1 and so on.
            case "fill" ->
                rows(command, (node, i) -> {
                    ErrorCode code = node.put("row" + i, "value " + i);
                    if (code != ErrorCode.OK) {
                        printed.add("put row" + i + ": " + code);
                    }
                });
            case "check" -> {
                List<String> wrong = new ArrayList<>();
                rows(command, (node, i) -> {
                    if (!("value " + i).equals(node.value("row" + i))) {
                        wrong.add("row" + i + "=" + node.value("row" + i));
                    }
                });
                printed.add(wrong.isEmpty() ? "all there" : wrong.toString());
            }
            case "read-often" -> {
                for (int i = 0; i < command.number(1); i++) {
                    cluster.node(command.at(0)).value("row0");
                }
            }
            // A row in each partition from a to z.
            case "letters" ->
                letters(letter ->
                        cluster.node(command.at(0)).write(WriteKind.INSERT, key("7/" + letter + "/r"), letter));
            case "check-letters" -> {
                List<String> wrong = new ArrayList<>();
                letters(letter -> {
                    Key key = key("7/" + letter + "/r");
                    Row row = cluster.masters.inKeyOrder().stream()
                            .filter(each -> each.range().contains(key))
                            .findFirst()
                            .orElseThrow();
                    String value =
                            cluster.node(requireNonNull(row.owner()).server()).value(key);
                    if (!letter.equals(value)) {
                        wrong.add(letter + "=" + value);
                    }
                });
                printed.add(wrong.isEmpty() ? "all there" : wrong.toString());
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** For a number of rows from one on. */
    private void rows(Command command, java.util.function.BiConsumer<Node, Long> action) {
        for (long i = command.number(1); i < command.number(1) + command.number(2); i++) {
            action.accept(cluster.node(command.at(0)), i);
        }
    }

    private static void letters(java.util.function.Consumer<String> action) {
        for (char letter = 'a'; letter <= 'z'; letter++) {
            action.accept(String.valueOf(letter));
        }
    }

    private boolean handoffs(Command command) {
        switch (command.word()) {
            // The sources are the range that holds a key, or all.
            case "move" ->
                send(command, command.at(0), order(command, sources(command.at(1)), List.of(), command.at(2)));
            case "merge-all" ->
                send(command, command.at(0), order(command, cluster.masters.inKeyOrder(), List.of(), command.at(1)));
            case "split" ->
                send(
                        command,
                        command.at(0),
                        order(
                                command,
                                sources(command.at(1)),
                                command.plain().stream()
                                        .skip(2)
                                        .map(ServerScript::key)
                                        .toList(),
                                command.named("to", "").isEmpty()
                                        ? new String[0]
                                        : command.named("to", "").split(",")));
            case "order-move" ->
                orders.put(command.at(0), order(command, sources(command.at(1)), List.of(), command.at(2)));
            case "send" -> send(command, command.at(0), requireNonNull(orders.get(command.at(1))));
            case "cancel" ->
                cluster.cancel(command.at(0), requireNonNull(orders.get(command.at(1))))
                        .then(outcome -> printed.add("cancel: " + text(outcome.getStatus())));
            default -> {
                return false;
            }
        }
        return true;
    }

    private List<Row> sources(String key) {
        Key at = key.equals("-") ? Key.MIN : key(key);
        return cluster.masters.inKeyOrder().stream()
                .filter(row -> row.range().contains(at))
                .toList();
    }

    private HandoffOrder order(Command command, List<Row> sources, List<Key> at, String... owners) {
        return cluster.order(sources, at, owners).toBuilder()
                .setDeadlineMillis(Integer.parseInt(command.named("deadline", "0")))
                .build();
    }

    private void send(Command command, String owner, HandoffOrder order) {
        Answer<HandoffOutcome> answer = cluster.send(owner, order);
        answer.then(outcome -> printed.add(command.word() + ": " + text(outcome.getStatus())));
    }

    private boolean stores(Command command) {
        switch (command.word()) {
            case "stores-fail" -> cluster.node(command.at(0)).stores.fails = !command.has("off");
            case "opens-fail" -> cluster.node(command.at(0)).stores.opensFail = !command.has("off");
            case "checkpoints-fail" -> cluster.node(command.at(0)).stores.checkpointsFail = true;
            case "hold-opens" -> cluster.node(command.at(0)).stores.opens.hold();
            case "release-opens" -> cluster.node(command.at(0)).stores.opens.release();
            case "hold-checkpoints" ->
                cluster.node(command.at(0)).stores.checkpoints.hold();
            case "release-checkpoints" ->
                cluster.node(command.at(0)).stores.checkpoints.release();
            case "free" -> cluster.node(command.at(0)).stores.freeBytes = command.number(1) << 20;
            case "close" -> cluster.node(command.at(0)).range().close("a test says so");
            default -> {
                return false;
            }
        }
        return true;
    }

    private String path(String name) {
        return paths.getOrDefault(name, name);
    }

    private Predicate<String> matching(String text) {
        if (text.startsWith("!")) {
            return matching(text.substring(1)).negate().and(path -> path.contains("-log-"));
        }
        String exact = paths.get(text);
        return exact == null
                ? path -> text.equals("all") || Arrays.stream(text.split("\\+")).allMatch(path::contains)
                : path -> path.equals(exact);
    }

    private boolean dfs(Command command) {
        switch (command.word()) {
            case "log" -> paths.put(command.at(0), cluster.nodes().get(0).logPath());
            case "newest-log" -> paths.put(command.at(0), cluster.dfs.newestOpenLog(command.at(1)));
            case "checkpoint-file" ->
                paths.put(
                        command.at(0),
                        requireNonNull(published())
                                .checkpoints()
                                .get(0)
                                .files()
                                .stored()
                                .get(0)
                                .path());
            case "oldest-log" ->
                paths.put(
                        command.at(0), requireNonNull(published()).logs().get(0).path());
            case "manifest-file" ->
                paths.put(
                        command.at(0), String.valueOf(cluster.masters.onlyRow().manifest()));
            case "unreadable" -> {
                String path = path(command.at(0));
                DfsException.Reason reason = DfsException.Reason.valueOf(command.at(1));
                cluster.dfs.unreadable = read -> read.equals(path) ? reason : null;
            }
            case "merge-store" -> cluster.node(command.at(0)).stores.merge();
            case "rot" ->
                assertThat(cluster.node(command.at(0)).stores.rot(new Random(1), false))
                        .isNotNull();
            case "hold-appends" -> cluster.dfs.holdAppends(matching(command.at(0)));
            case "release-appends" -> cluster.dfs.releaseAppends();
            case "release-one-append" -> cluster.dfs.releaseOneAppend(path(command.at(0)));
            case "break" -> cluster.dfs.breakAppends(path(command.at(0)), (int) command.number(1));
            case "hold-barriers" -> cluster.dfs.barriersSent.hold(matching(command.at(0)));
            case "release-barriers" -> cluster.dfs.barriersSent.release();
            case "hold-barrier-answers" -> cluster.dfs.barrierAnswers.hold();
            case "release-barrier-answers" -> cluster.dfs.barrierAnswers.release();
            case "barriers-per-file" -> cluster.dfs.barriersPerFile = command.number(0);
            case "unavailable-seals" -> {
                if (command.plain().size() > 1) {
                    cluster.dfs.unavailableSealsOf(path(command.at(1)), (int) command.number(0));
                } else {
                    cluster.dfs.unavailableSeals = (int) command.number(0);
                }
            }
            case "unavailable-creates" -> cluster.dfs.unavailableCreates = (int) command.number(0);
            case "refuse-creates" -> cluster.dfs.refuseCreates(matching(command.at(0)));
            case "take-by-others" -> {
                Predicate<String> paths = matching(command.at(0));
                long until = cluster.dfs.others().size() + command.number(1);
                cluster.dfs.takeByOthers(
                        path -> paths.test(path) && cluster.dfs.others().size() < until);
            }
            case "hold-creates" -> cluster.dfs.createAnswers.hold(matching(command.at(0)));
            case "release-creates" -> cluster.dfs.createAnswers.release();
            case "keep-at-seal" -> cluster.dfs.keepAtSeal((int) command.number(0));
            case "seal" -> cluster.dfs.seal(path(command.at(0)));
            case "delete-file" -> cluster.dfs.delete(path(command.at(0)));
            case "flip" -> cluster.dfs.flip(path(command.at(0)), (int) command.number(1));
            case "space" -> cluster.dfs.space(Dfs.Space.valueOf(command.at(0)));
            case "refuse" ->
                cluster.dfs.refuse(
                        command.plain().stream().map(Purpose::valueOf).toArray(Purpose[]::new));
            default -> {
                return false;
            }
        }
        return true;
    }

    private @Nullable Manifest published() {
        return new ManifestFiles(cluster.dfs)
                .read(String.valueOf(cluster.masters.onlyRow().manifest()))
                .getNow(null);
    }

    private boolean shows(Command command) {
        switch (command.word()) {
            case "manifest" -> {
                Manifest manifest = requireNonNull(published());
                printed.add("checkpoints "
                        + manifest.checkpoints().stream()
                                .map(each -> each.files().stored().size() + " files, "
                                        + each.files().inline().size() + " inline, checksums "
                                        + each.files().stored().stream()
                                                .filter(file -> file.checksum() != null)
                                                .count())
                                .toList()
                        + " logs "
                        + manifest.logs().stream()
                                .map(each -> each.path().replaceFirst(".*/", "") + (each.offset() > 0 ? "+" : ""))
                                .toList());
            }
            case "files" ->
                printed.add(names(cluster.dfs.paths("").stream()
                        .filter(matching(command.at(0)))
                        .toList()));
            case "others" -> {
                List<String> met = cluster.dfs.others();
                printed.add(
                        met.size() + (cluster.dfs.paths("").containsAll(met) ? " are there" : " are not all there"));
            }
            case "handles" ->
                printed.add(names(cluster.dfs.handles().stream()
                        .filter(matching(command.at(0)))
                        .toList()));
            case "is-sealed" ->
                printed.add(command.at(0) + (cluster.dfs.isSealed(path(command.at(0))) ? " is sealed" : " is open"));
            case "log-is" ->
                printed.add(
                        cluster.nodes().get(0).logPath().equals(path(command.at(0)))
                                ? "still " + command.at(0)
                                : "another log");
            // Since they were asked for last.
            case "appends" -> {
                printed.add((cluster.dfs.appends - appendsSeen) + " appends, " + cluster.dfs.appendsUnderWay()
                        + " under way");
                appendsSeen = cluster.dfs.appends;
            }
            case "barriers" -> {
                printed.add((cluster.dfs.barriers - barriersSeen) + " barriers");
                barriersSeen = cluster.dfs.barriers;
            }
            case "map" ->
                cluster.masters
                        .inKeyOrder()
                        .forEach(row -> printed.add(
                                Row.idText(row.id()) + row.range() + " " + row.owner() + " v" + row.version()));
            case "failure-reports" ->
                cluster.masters.failureReports.forEach(each -> printed.add((each.getStore() ? "store of " : "")
                        + Row.idText(each.getRange()) + " v" + each.getVersion() + ": " + each.getReason()));
            case "open-stores" -> printed.add("" + cluster.node(command.at(0)).stores.open);
            case "compactions" ->
                printed.add("" + cluster.node(command.at(0)).stores.compactions());
            case "has-file" -> printed.add("" + cluster.dfs.exists(path(command.at(0))));
            case "publishes" ->
                printed.add(cluster.masters.commands.stream()
                                .filter(each -> each.startsWith("publish"))
                                .count() + "");
            case "named" -> {
                Manifest manifest = requireNonNull(published());
                String path = path(command.at(0));
                boolean isNamed = path.equals(cluster.masters.onlyRow().manifest())
                        || manifest.logs().stream().anyMatch(log -> log.path().equals(path))
                        || manifest.checkpoints().stream()
                                .flatMap(each -> each.files().stored().stream())
                                .anyMatch(file -> file.path().equals(path));
                printed.add(command.at(0) + (isNamed ? " is still named" : " is named no more"));
            }
            case "reads" -> {
                printed.add(names(cluster.dfs.reads.stream().distinct().toList()));
                cluster.dfs.reads.clear();
            }
            case "damaged-files" ->
                printed.add(names(cluster.node(command.at(0)).range().damagedFiles().stream()
                        .toList()));
            case "told" -> printed.add(cluster.masters.told.toString());
            case "has-read" -> printed.add("" + cluster.dfs.reads.contains(path(command.at(0))));
            case "progress" ->
                printed.add("" + cluster.masters.openingProgress.get(cluster.incarnation(command.at(0))));
            case "readiness" -> {
                var readiness = cluster.node(command.at(0)).membership.readiness();
                printed.add((readiness.ready() ? "ready " : "not ready: ") + readiness.missing());
            }
            case "successor" ->
                printed.add(String.valueOf(cluster.node(command.at(0)).directory.successor(key(command.at(1)))));
            case "metric" -> {
                String[] labels = command.arguments().stream()
                        .skip(2)
                        .flatMap(each -> Arrays.stream(each.split("=")))
                        .toArray(String[]::new);
                List<String> names = new ArrayList<>();
                List<String> values = new ArrayList<>();
                for (int i = 0; i < labels.length; i += 2) {
                    names.add(labels[i]);
                    values.add(labels[i + 1]);
                }
                printed.add(""
                        + cluster.node(command.at(0))
                                .registry
                                .getSampleValue(
                                        "cleave_server_" + command.at(1),
                                        names.toArray(String[]::new),
                                        values.toArray(String[]::new)));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static String names(List<String> paths) {
        return paths.isEmpty()
                ? "none"
                : paths.stream().map(path -> path.replaceFirst("ranges/", "")).collect(Collectors.joining(" "));
    }
}
