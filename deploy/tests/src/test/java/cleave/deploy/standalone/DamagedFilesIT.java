package cleave.deploy.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.RawTables;
import cleave.deploy.TestTerminal;
import cleave.runtime.files.FolderTree;
import cleave.runtime.loop.Await;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Flips a bit in a file under a deployment, and checks the answers to its clients, and that no data is lost that has a good copy. */
@Timeout(300)
class DamagedFilesIT {
    private static final int ROWS = 4_000;
    private static final int TEXT_CHARS = 2_000;
    private static final int WRITERS = 4;
    private static final Pattern ENTITY = Pattern.compile("\"PartitionKey\":\"p(\\d+)\"");
    private static final Pattern INTERVAL = Pattern.compile(
            "\\{\"(?:after|from)\":\\[\"([^\"]*)\",\"[^\"]*\"],\"(?:through|before)\":\\[\"([^\"]*)\",\"[^\"]*\"]}");

    @TempDir
    private Path dir;

    private final TestTerminal terminal = new TestTerminal();
    private CollectorRegistry registry = new CollectorRegistry();

    private Standalone started(String checkpointBytes) {
        registry = new CollectorRegistry();
        Map<String, String> settings = Map.of(
                "server.write-buffer", "8MiB",
                "server.checkpoint-log-bytes", checkpointBytes,
                "server.checkpoint-after", "1h",
                "server.space-reserve", "0");
        return ReadyStandalone.start(dir, settings, registry);
    }

    private double metric(String name) {
        return ReadyStandalone.sample(registry, name);
    }

    /** Rows from one number on to before another, each of which is acknowledged. */
    private static void write(RawTables tables, int from, int until) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Callable<Integer>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int first = from + writer;
                writers.add(() -> {
                    for (int i = first; i < until; i += WRITERS) {
                        String text = text(i);
                        int row = i;
                        Await.until("row " + row, () -> puts(tables, row, text));
                    }
                    return first;
                });
            }
            for (Future<Integer> each : threads.invokeAll(writers)) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean puts(RawTables tables, int row, String text) throws IOException {
        int answer = tables.put("rows", "p" + row, "r", text);
        assertThat(answer).isIn(204, 500, 503); // A range may be opening again.
        return answer == 204;
    }

    private static String text(int row) {
        return new Random(row)
                .ints(TEXT_CHARS, 'a', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static int answer(RawTables tables, int row) throws Exception {
        var answer = tables.get("rows", "p" + row, "r");
        if (answer.status() == 200) {
            assertThat(answer.text()).contains(text(row));
        }
        return answer.status();
    }

    private static List<Path> files(Path below, String suffix) {
        try (Stream<Path> all = Files.walk(below)) {
            return all.filter(each -> each.toString().endsWith(suffix) && Files.isRegularFile(each))
                    .sorted()
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 1));
            one.flip();
            channel.write(one, at);
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException gone) {
            return -1;
        }
    }

    /** The largest file of the DFS with a local file of sorted entities. */
    private Path uploaded() {
        List<ByteBuffer> local = files(dir.resolve("server"), ".sst").stream()
                .map(file -> beginning(file, 0))
                .toList();
        return files(dir.resolve("dfs/extents"), "").stream()
                .filter(file ->
                        local.contains(beginning(file, Integer.BYTES))) // After the checksum of its first block.
                .max((one, other) -> Long.compare(size(one), size(other)))
                .orElseThrow();
    }

    /** A server's disk that is new, so that the DFS has the only copy. */
    private void loseLocalCopies() throws IOException {
        FolderTree.delete(dir.resolve("server/cached"));
    }

    private static ByteBuffer beginning(Path file, int from) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(1_000);
            channel.read(bytes, from);
            return bytes.flip();
        } catch (IOException gone) {
            return ByteBuffer.allocate(0);
        }
    }

    /** The file is flushed and has no checkpoint yet; the log has all that is in it. */
    @Test
    @Tag("nightly")
    void aFlushedFileThatRotsCostsNoAcknowledgedRow() throws Exception {
        try (Standalone standalone = started("12MiB")) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("rows")).isEqualTo(204);
            write(tables, 0, ROWS);
            List<Path> flushed = files(dir.resolve("server"), ".sst").stream()
                    .filter(file -> size(file) > 1 << 20)
                    .toList();
            assertThat(flushed).as("what was flushed").isNotEmpty();
            assertThat(metric("cleave_server_publishes_total")).isZero();
            flip(flushed.get(0), 70_000);

            write(tables, ROWS, 2 * ROWS); // A checkpoint becomes due.
            Await.until("a checkpoint", () -> metric("cleave_server_publishes_total") > 0);
            assertThat(metric("cleave_server_store_failures_total")).isPositive();
        }
        try (Standalone standalone = started("12MiB")) {
            RawTables tables = new RawTables(standalone.account());
            for (int row = 0; row < 2 * ROWS; row++) {
                assertThat(answer(tables, row)).as("row %s", row).isEqualTo(200);
            }
            assertThat(metric("cleave_server_damaged_files")).isZero();
        }
    }

    /** There is no other copy. */
    @Test
    @Tag("nightly")
    void ofWhatRotsInTheDfsTheBadBlockAloneIsGone() throws Exception {
        Path uploaded;
        try (Standalone standalone = started("2MiB")) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("rows")).isEqualTo(204);
            write(tables, 0, ROWS);
            Await.until("a checkpoint", () -> metric("cleave_server_publishes_total") > 0);
        }
        try (Standalone standalone = started("1GiB")) { // No checkpoint replaces the files that it opens.
            assertThat(answer(new RawTables(standalone.account()), 0)).isEqualTo(200);
            uploaded = uploaded();
        }
        flip(uploaded, 70_000);
        loseLocalCopies();

        try (Standalone standalone = started("2MiB")) {
            RawTables tables = new RawTables(standalone.account());
            int unreadable = 0;
            int last = -1;
            for (int row = 0; row < ROWS; row++) {
                int answer = answer(tables, row);
                assertThat(answer).as("row %s", row).isIn(200, 500);
                unreadable += answer == 500 ? 1 : 0;
                last = answer == 500 ? row : last;
            }
            assertThat(unreadable).isBetween(1, 40);
            assertThat(metric("cleave_server_unreadable_total")).isGreaterThanOrEqualTo(unreadable);
            assertThat(metric("cleave_server_store_failures_total")).isZero();
            assertThat(metric("cleave_server_damaged_files")).isEqualTo(1);
            assertThat(standalone.readiness().missing()).contains("damaged", "ranges/");
            write(tables, ROWS, ROWS + 10);
            assertThat(answer(tables, ROWS + 5)).isEqualTo(200);
            write(tables, last, last + 1);
            assertThat(answer(tables, last)).isEqualTo(200);
        }
    }

    /** Does what the operator does: take out what can be read, put back what is missing, copy the table. */
    @Test
    @Tag("nightly")
    void whatCanBeReadIsTakenOutAndTheRestIsTold() throws Exception {
        Path uploaded;
        try (Standalone standalone = started("2MiB")) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("rows")).isEqualTo(204);
            write(tables, 0, ROWS);
            Await.until("a checkpoint", () -> metric("cleave_server_publishes_total") > 0);
        }
        try (Standalone standalone = started("1GiB")) {
            assertThat(answer(new RawTables(standalone.account()), 0)).isEqualTo(200);
            uploaded = uploaded();
        }
        for (long at = 70_000; at < size(uploaded) - 200_000; at += 150_000) {
            flip(uploaded, at);
        }
        loseLocalCopies();

        try (Standalone standalone = started("1GiB")) {
            RawTables tables = new RawTables(standalone.account());
            Path first = dir.resolve("first.jsonl");
            assertThat(salvage(first)).as(terminal::said).isEqualTo(ExitCode.FAILED);
            Set<Integer> read = rows(first);
            assertThat(terminal.said())
                    .contains(
                            "Only a PART of table rows", read.size() + " entities", first + ".unreadable", "\"after\"");
            List<Interval> unreadable = unreadable(first);
            assertThat(unreadable).hasSizeGreaterThan(1);
            List<Integer> missing = new ArrayList<>();
            for (int row = 0; row < ROWS; row++) {
                boolean isMissing = !read.contains(row);
                assertThat(answer(tables, row)).as("row %s", row).isEqualTo(isMissing ? 500 : 200);
                if (isMissing) {
                    missing.add(row);
                    String key = "p" + row;
                    assertThat(unreadable).as(key).anyMatch(each -> each.contains(key));
                }
            }
            assertThat(missing).hasSizeBetween(unreadable.size(), 40 * unreadable.size());
            assertThat(salvage(first)).as("the file is there").isEqualTo(ExitCode.USAGE);
            assertThat(rows(first)).isEqualTo(read);

            for (int row : missing) {
                write(tables, row, row + 1);
            }
            Path whole = dir.resolve("whole.jsonl");
            assertThat(salvage(whole)).as("what was there is not known").isEqualTo(ExitCode.FAILED);
            assertThat(rows(whole)).hasSize(ROWS);
            assertThat(unreadable(whole)).isEqualTo(unreadable);

            assertThat(cleave("import", "--table", "copy", whole.toString()))
                    .as(terminal::said)
                    .isZero();
            assertThat(tables.deleteTable("rows")).isEqualTo(204);
            Path copied = dir.resolve("copied.jsonl");
            assertThat(cleave("salvage", "--table", "copy", copied.toString()))
                    .as(terminal::said)
                    .isZero();
            assertThat(terminal.said()).contains("All " + ROWS + " entities of table copy");
            assertThat(copied).hasSameTextualContentAs(whole);
            assertThat(Path.of(copied + ".unreadable")).doesNotExist();
        }
    }

    private int cleave(String command, String... arguments) {
        return terminal.run(List.of("admin", command, "--dir", dir.toString()), arguments);
    }

    private int salvage(Path to) {
        return cleave("salvage", "--table", "rows", to.toString());
    }

    private static Set<Integer> rows(Path file) throws IOException {
        Set<Integer> rows = new TreeSet<>();
        for (String line : Files.readAllLines(file)) {
            Matcher matcher = ENTITY.matcher(line);
            assertThat(matcher.find()).as(line).isTrue();
            int row = Integer.parseInt(matcher.group(1));
            assertThat(line).contains(text(row));
            assertThat(rows.add(row)).as("row %s once", row).isTrue();
        }
        return rows;
    }

    /** The rows after one partition's, through that of another. */
    private record Interval(String after, String through) {
        boolean contains(String partition) {
            return after.compareTo(partition) < 0 && partition.compareTo(through) <= 0;
        }
    }

    private static List<Interval> unreadable(Path file) throws IOException {
        List<Interval> all = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(file + ".unreadable"))) {
            Matcher matcher = INTERVAL.matcher(line);
            assertThat(matcher.matches()).as(line).isTrue();
            all.add(new Interval(matcher.group(1), matcher.group(2)));
        }
        return all;
    }
}
