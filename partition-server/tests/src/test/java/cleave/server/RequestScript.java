package cleave.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Row;
import cleave.server.range.Range;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.ErrorCode;
import cleave.wire.Route;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The words of a transcript for requests, which go to a server or to a range that was remembered. Requests are on their way until the loop
 * is turned, but for those that turn it: of many rows, {@code put} and {@code value}.
 */
final class RequestScript implements Transcripts.Words {
    private static final List<String> LETTERS = List.of("abcdefghijklmnopqrstuvwxyz".split(""));

    private final Cluster cluster;
    private final List<String> printed;
    /** Remembered ranges, which may be closed by now. */
    private final TreeMap<String, Range> ranges = new TreeMap<>();

    private final TreeMap<Key, Long> timestamps = new TreeMap<>();
    private final IdentityHashMap<Range, Long> rangeTimestamps = new IdentityHashMap<>();

    RequestScript(Cluster cluster, List<String> printed) {
        this.cluster = cluster;
        this.printed = printed;
    }

    @Override
    public boolean run(Command command) {
        switch (command.word()) {
            // The only one of a server, or that which holds a key.
            case "remember" -> {
                Node node = cluster.node(command.at(1));
                ranges.put(command.at(0), command.plain().size() < 3 ? node.range() : node.rangeOf(key(command.at(2))));
            }
            // Where requests wait for a range that is expected.
            case "remember-arriving" -> {
                Row row = cluster.masters.onlyRow();
                printed.add("an earlier epoch is "
                        + (arriving(command, row.epoch() - 1) == null ? "not expected" : "expected"));
                ranges.put(command.at(0), requireNonNull(arriving(command, row.epoch())));
            }
            case "insert", "replace", "merge", "delete" ->
                write(command, operation(command.at(1), command.word(), command.named("value", "1")));
            case "transaction" ->
                write(
                        command,
                        command.plain().stream()
                                .skip(1)
                                .map(each -> each.split(":"))
                                .map(each -> operation(
                                        each[0],
                                        each.length < 2 ? "insert" : each[1],
                                        each.length > 2 ? each[2] : null))
                                .toArray(WriteOperation[]::new));
            case "read" ->
                Node.read(range(command), key(command.at(1)))
                        .then(reply -> printed.add("read " + command.at(1) + ": " + Node.valueOf(reply)));
            case "drop" ->
                Node.drop(
                                ranges.containsKey(command.at(0))
                                        ? ranges.get(command.at(0))
                                        : node(command).ranges().get(0),
                                command.number(1))
                        .then(reply -> printed.add("drop: " + reply.getStatus().getCode()));
            case "put" -> rows(command).forEach(row -> put(node(command), row, command.named("value", "1")));
            case "value" ->
                printed.add(rows(command)
                        .map(row -> row + "=" + node(command).value(key(row)))
                        .collect(Collectors.joining(" ")));
            // Many rows: row0, row1 and so on.
            case "fill" -> numbers(command).forEach(i -> put(node(command), "row" + i, "value " + i));
            case "check" ->
                check(numbers(command)
                        .mapToObj(i -> "row" + i + "=" + node(command).value("row" + i))
                        .filter(each -> !each.matches("row(\\d+)=value \\1")));
            case "read-often" -> {
                for (int i = 0; i < command.number(1); i++) {
                    node(command).value("row0");
                }
            }
            // A row in each partition from a to z.
            case "letters" -> LETTERS.forEach(letter -> node(command).write(WriteKind.INSERT, keyOf(letter), letter));
            case "check-letters" ->
                check(LETTERS.stream()
                        .map(letter -> letter + "=" + ownerOf(keyOf(letter)).value(keyOf(letter)))
                        .filter(each -> !each.matches("(.)=\\1")));
            default -> {
                return false;
            }
        }
        return true;
    }

    private Node node(Command command) {
        return cluster.node(command.at(0));
    }

    private Node ownerOf(Key key) {
        return cluster.node(requireNonNull(cluster.masters.rowAt(key).owner()).server());
    }

    private static Key key(String text) {
        return ServerScript.key(text);
    }

    private static Key keyOf(String letter) {
        return key("7/" + letter + "/r");
    }

    private static Stream<String> rows(Command command) {
        return command.plain().stream().skip(1);
    }

    /** A number of numbers, from one on. */
    private static LongStream numbers(Command command) {
        return LongStream.range(command.number(1), command.number(1) + command.number(2));
    }

    private @Nullable Range arriving(Command command, long epoch) {
        long range = cluster.masters.onlyRow().id();
        return cluster.node(command.at(1))
                .directory
                .range(Route.newBuilder().setRange(range).setEpoch(epoch).build());
    }

    /** The remembered range of this name, or that of the server that holds the key. */
    private Range range(Command command) {
        Range remembered = ranges.get(command.at(0));
        return remembered == null ? node(command).rangeOf(key(command.at(1))) : remembered;
    }

    private static WriteOperation operation(String key, String kind, @Nullable String value) {
        WriteKind parsed = WriteKind.valueOf(kind.toUpperCase(Locale.ROOT));
        return Node.op(parsed, key(key), parsed == WriteKind.DELETE ? null : value);
    }

    private void write(Command command, WriteOperation... operations) {
        Range range = range(command);
        Node.send(range, Integer.parseInt(command.named("deadline", "0")), operations)
                .then(reply -> {
                    printed.add(command.word() + " " + command.at(1) + ": "
                            + reply.getStatus().getCode()
                            + (reply.getFailedOperation() > 0 ? " at " + reply.getFailedOperation() : ""));
                    check(key(command.at(1)), range, reply);
                    if (command.word().equals("delete") && reply.getStatus().getCode() == ErrorCode.OK) {
                        assertThat(reply.getTimestampsList()).containsExactly(0L);
                    }
                });
    }

    private void put(Node node, String row, String value) {
        WriteReply reply = node.write(WriteKind.INSERT_OR_REPLACE, key(row), value);
        check(key(row), node.rangeOf(key(row)), reply);
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            printed.add("put " + row + ": " + reply.getStatus().getCode());
        }
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

    private void check(Stream<String> wrong) {
        List<String> all = wrong.toList();
        printed.add(all.isEmpty() ? "all there" : all.toString());
    }
}
