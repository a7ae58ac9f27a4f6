package cleave.chaos.sim.film;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.sim.Scenario;
import cleave.chaos.sim.Simulation;
import cleave.chaos.sim.bugs.Bug;
import cleave.client.JsonText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportsTest {
    private static final Pattern EDN =
            Pattern.compile("\\{:index (\\d+), :time (\\d+), :process (\\d+), :type :(\\w+), :f :txn,"
                    + " :value \\[((?:\\[:[rw] \"[^\"]+\" (?:nil|\"[^\"]*\")] ?)*)], :client \\d+}");
    private static final Pattern ACCESS = Pattern.compile("\\[:([rw]) \"([^\"]+)\" (nil|\"[^\"]*\")]");

    @TempDir
    private Path dir;

    private static Film film(Bug bug) {
        return Scenario.named("zombie-write").film(1, bug).film();
    }

    @SuppressWarnings("unchecked")
    private List<Map<String, Object>> traced(Film film) throws IOException {
        Path file = dir.resolve("trace.json");
        Exports.trace(file, film);
        return (List<Map<String, Object>>) (List<?>)
                JsonText.object(Files.readString(file).getBytes(UTF_8)).get("traceEvents");
    }

    private static List<Map<String, Object>> of(List<Map<String, Object>> events, String phase) {
        return events.stream().filter(event -> phase.equals(event.get("ph"))).toList();
    }

    private static double number(Map<String, Object> event, String field) {
        return Double.parseDouble(String.valueOf(event.get(field)));
    }

    @Test
    void aTraceHasTheProcessesAndWhatTheyDo() throws IOException {
        List<Map<String, Object>> events = traced(film(Bug.SEAL_SKIPPED));

        assertThat(of(events, "M").toString())
                .contains("name=s1", "name=c1", "name=the map", "name=range ", "name=messages");
        assertThat(of(events, "X").toString()).contains("INSERT_OR_REPLACE", "serves", "CommitHandoff");
        assertThat(of(events, "i").toString()).contains("CONVERGENCE: ");
    }

    @Test
    void inEachThreadOfATraceSlicesLieWithinEachOtherOrApart() throws IOException {
        Film seed = Simulation.film(Bug.SEAL_SKIPPED.seed(), new Simulation.Options(Bug.SEAL_SKIPPED, null))
                .film();
        Map<String, List<Map<String, Object>>> threads = of(traced(seed), "X").stream()
                .collect(Collectors.groupingBy(slice -> slice.get("pid") + "/" + slice.get("tid")));

        for (List<Map<String, Object>> slices : threads.values()) {
            List<Map<String, Object>> inOrder = new ArrayList<>(slices);
            inOrder.sort(Comparator.comparingDouble((Map<String, Object> slice) -> number(slice, "ts"))
                    .thenComparing(slice -> -number(slice, "dur")));
            Deque<Double> ends = new ArrayDeque<>();
            for (Map<String, Object> slice : inOrder) {
                double end = number(slice, "ts") + number(slice, "dur");
                while (!ends.isEmpty() && ends.peek() <= number(slice, "ts") + 1e-4) {
                    ends.pop();
                }
                assertThat(ends.isEmpty() || end <= ends.peek() + 1e-4)
                        .as("%s", slice)
                        .isTrue();
                ends.push(end);
            }
        }
    }

    @Test
    void eachArrowOfATraceHasTwoEnds() throws IOException {
        List<Map<String, Object>> events = traced(film(Bug.NONE));
        Map<Object, Map<String, Object>> starts = new HashMap<>();
        of(events, "s").forEach(start -> starts.put(start.get("id"), start));
        List<Map<String, Object>> ends = of(events, "f");

        assertThat(ends).hasSizeGreaterThan(50).hasSameSizeAs(starts.keySet());
        for (Map<String, Object> end : ends) {
            Map<String, Object> start = starts.get(end.get("id"));
            assertThat(number(start, "ts")).isLessThanOrEqualTo(number(end, "ts"));
            assertThat(start.get("pid")).isNotEqualTo(end.get("pid"));
        }
    }

    /** The events of a log for ShiViz, by the expression in its first line. */
    private record Logged(String host, Map<String, Integer> clock, String text) {}

    private List<Logged> logged(Film film) throws IOException {
        Path file = dir.resolve("shiviz.log");
        Exports.shiViz(file, film);
        String[] parts = Files.readString(file).split("\n\n", 2);
        Matcher events = Pattern.compile(parts[0].replace("{.*}", "\\{.*\\}")).matcher(parts[1]);
        List<Logged> logged = new ArrayList<>();
        int end = 0;
        while (events.find()) {
            assertThat(parts[1].substring(end, events.start())).isBlank();
            end = events.end();
            Map<String, Integer> clock = new TreeMap<>();
            JsonText.object(events.group("clock").getBytes(UTF_8))
                    .forEach((host, count) -> clock.put(host, Integer.valueOf(String.valueOf(count))));
            logged.add(new Logged(events.group("host"), clock, events.group("event")));
        }
        assertThat(parts[1].substring(end)).isBlank();
        return logged;
    }

    @Test
    void vectorClocksFollowTheMessages() throws IOException {
        List<Logged> events = logged(film(Bug.NONE));
        Map<String, Map<String, Integer>> last = new HashMap<>();
        Map<String, List<Logged>> byHost = new HashMap<>();
        int received = 0;
        for (Logged event : events) {
            Map<String, Integer> before = last.getOrDefault(event.host(), Map.of());
            assertThat(event.clock().get(event.host())).isEqualTo(before.getOrDefault(event.host(), 0) + 1);
            before.forEach((host, count) -> assertThat(event.clock().get(host)).isGreaterThanOrEqualTo(count));
            for (Map.Entry<String, Integer> known : event.clock().entrySet()) {
                if (known.getKey().equals(event.host()) || known.getValue().equals(before.get(known.getKey()))) {
                    continue;
                }
                assertThat(event.text()).contains(" receives from ");
                // All that the sender knew is known now, too.
                Logged cause = byHost.get(known.getKey()).get(known.getValue() - 1);
                cause.clock()
                        .forEach((host, count) ->
                                assertThat(event.clock().get(host)).isGreaterThanOrEqualTo(count));
                received++;
            }
            last.put(event.host(), event.clock());
            byHost.computeIfAbsent(event.host(), first -> new ArrayList<>()).add(event);
        }
        assertThat(received).isGreaterThan(50);
        assertThat(byHost.keySet()).contains("c1", "f1", "m1", "s1", "s2", "dfs");
    }

    @Test
    void aDiagramOfAStoryHasItsSentencesAndMessages() throws IOException {
        Path file = dir.resolve("diagram.mmd");
        Exports.mermaid(file, film(Bug.SEAL_SKIPPED));

        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0)).isEqualTo("sequenceDiagram");
        assertThat(lines.subList(1, lines.size()))
                .allMatch(
                        line -> line.matches(
                                "    (participant \\w+ as [\\w.]+|Note over \\w+(,\\w+)?: [^;]*(#\\d+;[^;]*)*|\\w+--?(>>|x|\\))\\w+: [^;]*(#\\d+;[^;]*)*)"))
                .anyMatch(line -> line.contains("CommitHandoff"))
                .anyMatch(line -> line.contains("VIOLATION, "));
    }

    @Test
    void aLongRunIsRefusedADiagramWithASentence() {
        Path file = dir.resolve("seed.mmd");
        Film seed = Simulation.film(1, new Simulation.Options(Bug.SCAN_ENDS_EARLY, null))
                .film();

        assertThatThrownBy(() -> Exports.mermaid(file, seed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Mermaid draws no more than 50,000 characters");
        assertThat(file).doesNotExist();
    }

    @Test
    void anotherCheckerJudgesAHistoryAsOursDoes() throws IOException {
        Path file = dir.resolve("history.txt");
        Simulation.Filmed right = Simulation.film(1, new Simulation.Options(Bug.NONE, null));
        Simulation.Filmed wrong =
                Simulation.film(Bug.SEAL_SKIPPED.seed(), new Simulation.Options(Bug.SEAL_SKIPPED, null));
        assertThat(right.report().isRight()).isTrue();
        assertThat(wrong.report().violations().get(0).by().name()).isEqualTo("HISTORY");

        Exports.history(file, right.film());
        Map<String, RegisterCheck> registers = RegisterCheck.read(Files.readAllLines(file));
        assertThat(registers).hasSizeGreaterThan(20);
        registers.forEach(
                (key, register) -> assertThat(register.isLinearizable()).as(key).isTrue());

        Exports.history(file, wrong.film());
        assertThat(RegisterCheck.read(Files.readAllLines(file)).values())
                .anyMatch(register -> !register.isLinearizable());
    }

    @Test
    void ednHasEachOperationOnceWithItsEndAndNoValueTwice() throws IOException {
        Path file = dir.resolve("history.edn");
        Simulation.Filmed filmed = Simulation.film(1, new Simulation.Options(Bug.NONE, null));

        Exports.history(file, filmed.film());

        Map<String, String> open = new HashMap<>();
        Map<String, String> writers = new HashMap<>();
        int index = 0;
        long time = 0;
        for (String line : Files.readAllLines(file)) {
            Matcher event = EDN.matcher(line);
            assertThat(event.matches()).as(line).isTrue();
            assertThat(Integer.parseInt(event.group(1))).isEqualTo(index++);
            assertThat(Long.parseLong(event.group(2))).isGreaterThanOrEqualTo(time);
            time = Long.parseLong(event.group(2));
            boolean isInvoked = event.group(4).equals("invoke");
            String begun = isInvoked ? open.put(event.group(3), event.group(5)) : open.remove(event.group(3));
            assertThat(begun == null).as(line).isEqualTo(isInvoked);
            if (event.group(4).equals("info")) {
                open.put(event.group(3), "it does no more");
            }
            Matcher access = ACCESS.matcher(event.group(5));
            while (isInvoked && access.find()) {
                if (access.group(1).equals("w")) {
                    assertThat(writers.put(access.group(2) + access.group(3), line))
                            .as(line)
                            .isNull();
                }
            }
        }
        assertThat(open.values()).allMatch("it does no more"::equals);
        assertThat(index).isGreaterThan(2_000);
    }
}
