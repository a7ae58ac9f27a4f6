package cleave.chaos.sim.film;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.Scenario;
import cleave.chaos.sim.Simulation;
import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.faults.FaultKind;
import cleave.chaos.sim.stories.Rule;
import cleave.client.JsonText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilmTest {
    @TempDir
    private Path dir;

    /** The films of a page, as the page reads them. */
    private List<Map<String, Object>> written(String title, Film... films) throws IOException {
        Path page = dir.resolve("film.html");
        FilmPage.write(page, title, "", List.of(films));
        String text = Files.readString(page);
        assertThat(text).startsWith("<!doctype html>").doesNotContain("http://", "https://");
        String data = text.substring(text.indexOf("id=\"film\">") + 10);
        data = data.substring(0, data.indexOf("</script>"));
        Map<String, Object> read = JsonText.object(data.getBytes(UTF_8));
        assertThat(read).containsEntry("title", title);
        return list(read.get("runs"));
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> list(Object value) {
        return (List<T>) value;
    }

    @Test
    void aStoryShowsTheZombieBesideItsSuccessorWithAndWithoutTheBug() throws IOException {
        Scenario story = Scenario.named("zombie-write");
        Scenario.Filmed right = story.film(1, Bug.NONE);
        Scenario.Filmed wrong = story.film(1, Bug.SEAL_SKIPPED);

        assertThat(right.report().isRight()).isTrue();
        assertThat(wrong.report().isRight()).isFalse();
        List<Map<String, Object>> films = written("</script><b>zombie", right.film(), wrong.film());
        for (Map<String, Object> film : films) {
            assertThat(list(film.get("said"))).hasSizeGreaterThan(2);
            assertThat(film.get("blocks").toString()).contains("s1, m1, true");
            assertThat(ownersOf(film)).containsSubsequence("s1", "s2");
            assertThat(film.get("names").toString())
                    .contains("c1", "f2", "m3", "s2", "dfs")
                    .doesNotContain("c1000");
        }
        assertThat(logOf("s1", films.get(0))).asString().contains(", true]");
        assertThat(logOf("s1", films.get(1))).asString().doesNotContain(", true]");
        assertThat(list(films.get(0).get("findings"))).isEmpty();
        assertThat(list(films.get(1).get("findings"))).isNotEmpty();
    }

    private static List<String> ownersOf(Map<String, Object> film) {
        List<String> owners = new ArrayList<>();
        for (Map<String, Object> map : FilmTest.<Map<String, Object>>list(film.get("maps"))) {
            for (Map<String, Object> range : FilmTest.<Map<String, Object>>list(map.get("ranges"))) {
                owners.add(String.valueOf(range.get("owner")));
            }
        }
        return owners;
    }

    /** How the first log of a server grew. */
    @SuppressWarnings("unchecked")
    private static Object logOf(String server, Map<String, Object> film) {
        return ((Map<String, Object>) film.get("logs"))
                .entrySet().stream()
                        .filter(log -> log.getKey().contains(server + "."))
                        .findFirst()
                        .orElseThrow()
                        .getValue();
    }

    @Test
    void aRunThatWentWrongBeginsBeforeTheOperationThatFitsNoOrder() throws IOException {
        Simulation.Filmed filmed =
                Simulation.film(Bug.SEAL_SKIPPED.seed(), new Simulation.Options(Bug.SEAL_SKIPPED, null));

        Map<String, Object> film = written("a bug", filmed.film()).get(0);
        assertThat(film.get("findings").toString()).contains("HISTORY");
        double wrong = FilmTest.<Map<String, Object>>list(film.get("operations")).stream()
                .filter(operation -> Boolean.TRUE.equals(operation.get("wrong")))
                .mapToDouble(operation -> Double.parseDouble(String.valueOf(operation.get("t"))))
                .max()
                .orElseThrow();
        assertThat(filmed.film().startNanos() / 1e9).isBetween(wrong - 2.001, wrong);
    }

    /** Sender, receiver, what, and how long it flew, of those with this fate. */
    private static List<String> messages(Map<String, Object> film, String fate) {
        List<String> found = new ArrayList<>();
        for (List<Object> message : FilmTest.<List<Object>>list(film.get("messages"))) {
            if (message.get(5).equals(fate)) {
                double flight = Double.parseDouble(String.valueOf(message.get(4)))
                        - Double.parseDouble(String.valueOf(message.get(3)));
                found.add(message.get(0) + " " + message.get(1) + " " + message.get(2)
                        + (flight > 0 ? " flew" : " did not fly"));
            }
        }
        return found;
    }

    @Test
    void whatAScriptLosesFliesAndWhatItHoldsToTheEndIsThere() throws IOException {
        Film lost = Scenario.named("crash-before-the-seal").film(1, Bug.NONE).film();
        Film answerLost = Scenario.named("lost-commit").film(1, Bug.NONE).film();
        List<String> lines =
                List.of("> A read is held.", "held = hold Read; read = c2 reads p1/r1; await held; pass 50 ms");
        Film held = new Scenario("held", "a read is held", Rule.I2, "calm", List.of(), lines, Map.of())
                .film(1, Bug.NONE)
                .film();

        List<Map<String, Object>> films = written("fates", lost, answerLost, held);

        assertThat(messages(films.get(0), "lost")).anyMatch(message -> message.matches("s\\d dfs seal flew"));
        assertThat(messages(films.get(1), "lost")).containsOnlyOnce("m1 s2 <CommitHandoff flew");
        assertThat(messages(films.get(2), "held")).hasSize(1).allMatch(message -> message.matches("f2 s\\d Read flew"));
        assertThat(messages(films.get(2), "lost")).isEmpty();
    }

    @Test
    void aFaultIsToldWithWhomItStruck() throws IOException {
        Simulation.Options pauses = new Simulation.Options(Bug.NONE, Set.of(FaultKind.PAUSE));

        Map<String, Object> film =
                written("pauses", Simulation.film(2, pauses).film()).get(0);

        assertThat(FilmTest.<List<Object>>list(film.get("faults")))
                .extracting(fault -> String.valueOf(fault.get(1)))
                .hasSizeGreaterThan(5)
                .allMatch(fault -> fault.matches("PAUSE [msf]\\d|HEAL"));
    }

    @Test
    void aDfsNodeThatCrashesIsInTheFilmOfItsSeed() throws IOException {
        Simulation.Filmed filmed = Simulation.film(6, new Simulation.Options(Bug.NONE, Set.of(FaultKind.DFS_CRASH)));

        assertThat(filmed.report().isRight()).isTrue();
        Map<String, Object> film = written("a node", filmed.film()).get(0);
        assertThat(film.get("names").toString()).contains("d1").doesNotContain("dfs");
        assertThat(film.get("nodes").toString()).contains("d1, down", "d1, up");
        assertThat(film.get("messages").toString()).contains(", d1, ");
        assertThat(film.get("logs").toString()).contains("true]");
    }
}
