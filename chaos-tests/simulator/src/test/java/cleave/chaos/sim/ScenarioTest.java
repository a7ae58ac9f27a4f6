package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.bugs.Bug;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Orders of events that break plausible shortcuts, each forced: a step that does not happen as scripted fails. */
class ScenarioTest {
    private static final int NIGHTLY = 3;

    @ParameterizedTest
    @MethodSource("stories")
    void theStoryIsForcedAndEndsWell(Scenario scenario) {
        endsWell(scenario, 1);
    }

    @ParameterizedTest
    @MethodSource("stories")
    @Tag("nightly")
    void theStoryIsForcedAndEndsWellWithMoreSeeds(Scenario scenario) {
        for (int seed = 2; seed <= NIGHTLY; seed++) {
            endsWell(scenario, seed);
        }
    }

    private static void endsWell(Scenario scenario, int seed) {
        Scenario.Report report = scenario.play(seed, Bug.NONE);

        assertThat(report.notAsTold())
                .as("%s, seed %s:%n%s", scenario, seed, text(report))
                .isNull();
        assertThat(report.findings())
                .as("%s, seed %s:%n%s", scenario, seed, text(report))
                .isEmpty();
    }

    @Test
    void everyFileOfStoriesIsTold() throws IOException {
        List<String> heads = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/cleave/chaos/sim/stories"))) {
            for (Path file : files.toList()) {
                Files.readString(file)
                        .lines()
                        .filter(line -> line.startsWith("== "))
                        .forEach(heads::add);
            }
        }

        assertThat(heads.stream().map(head -> head.substring(3, head.indexOf(':'))))
                .containsExactlyInAnyOrderElementsOf(
                        Scenario.ALL.stream().map(Scenario::id).toList());
    }

    /** The tables of the document; {@code -Dgolden.rewrite=true} writes them again. */
    @Test
    void theDocumentHasAllStoriesAndBugs() throws IOException {
        Path document = Path.of("..", "..", "docs", "simulation.md");
        String stories = table(
                "| story | rule | what happens | goes wrong with |\n|---|---|---|---|\n",
                Scenario.ALL.stream()
                        .map(each -> "| `" + each + "` | " + each.rule().name() + " | " + each.title() + " | "
                                + each.bugs().stream()
                                        .map(bug -> "`" + bug + "`")
                                        .collect(Collectors.joining(", ")) + " |"));
        String bugs = table(
                "| planted bug | how it breaks its rule |\n|---|---|\n",
                Bug.ALL.stream().map(bug -> "| `" + bug + "` | " + bug.text() + " |"));
        if (Boolean.getBoolean("golden.rewrite")) {
            String text = Files.readString(document);
            for (String table : List.of(stories, bugs)) {
                String head = table.substring(0, table.indexOf("---"));
                text = text.replaceFirst(
                        "(?s)" + Pattern.quote(head) + ".*?\n\n", Matcher.quoteReplacement(table + "\n"));
            }
            Files.writeString(document, text);
        }
        assertThat(Files.readString(document)).contains(stories).contains(bugs);
    }

    private static String table(String head, Stream<String> rows) {
        return head + rows.map(row -> row + "\n").collect(Collectors.joining());
    }

    static List<Scenario> stories() {
        return Scenario.ALL;
    }

    static Stream<Arguments> rules() {
        return Scenario.ALL.stream()
                .flatMap(scenario -> scenario.bugs().stream().map(bug -> Arguments.of(scenario, bug)));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theStoryGoesWrongWithoutTheRule(Scenario scenario, Bug bug) {
        goesWrong(scenario, bug, 1);
    }

    @ParameterizedTest
    @MethodSource("rules")
    @Tag("nightly")
    void theStoryGoesWrongWithoutTheRuleWithMoreSeeds(Scenario scenario, Bug bug) {
        for (int seed = 2; seed <= NIGHTLY; seed++) {
            goesWrong(scenario, bug, seed);
        }
    }

    private static void goesWrong(Scenario scenario, Bug bug, int seed) {
        Scenario.Report report = scenario.play(seed, bug);

        assertThat(report.findings())
                .as("%s with %s, seed %s:%n%s", scenario, bug, seed, text(report))
                .isNotEmpty();
    }

    @Test
    void aStoryIsTheSameEachTime() {
        Scenario.Report first = Scenario.named("zombie-read").play(1, Bug.NONE);
        Scenario.Report again = Scenario.named("zombie-read").play(1, Bug.NONE);

        assertThat(again).isEqualTo(first);
    }

    private static String text(Scenario.Report report) {
        return String.join(System.lineSeparator(), report.told());
    }
}
