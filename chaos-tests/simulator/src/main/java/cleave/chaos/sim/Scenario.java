package cleave.chaos.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.cluster.SimSettings;
import cleave.chaos.sim.film.Film;
import cleave.chaos.sim.stories.Rule;
import cleave.chaos.sim.stories.Script;
import cleave.chaos.sim.stories.Stage;
import cleave.chaos.sim.stories.Timeline;
import cleave.chaos.sim.world.Finding;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A scripted run: it forces one order of events that breaks a plausible shortcut, and narrates it. The resources
 * {@code stories/*.txt} have them all. A story begins with {@code == ID: RULE}, followed by its settings, if they are special,
 * and the planted bugs that it exposes. The next line is its title, and {@link Script} plays the rest. A passage that several
 * stories of the file include begins with {@code -- NAME}. An indented line continues the one before. Immutable.
 *
 * @param id its name on the command line
 * @param title a summary in one line
 * @param settings of the cluster: {@code calm}, {@code rolling}, {@code sweeping} or {@code probing}
 * @param bugs planted bugs that the story exposes
 * @param passages what stories of the same file include, by name
 */
public record Scenario(
        String id,
        String title,
        Rule rule,
        String settings,
        List<Bug> bugs,
        List<String> lines,
        Map<String, List<String>> passages) {
    /** All stories. */
    public static final List<Scenario> ALL =
            List.of("takeovers", "zombies", "logs", "engines", "rot", "masters", "handoffs", "scans", "copies").stream()
                    .flatMap(file -> read(file).stream())
                    .toList();

    public Scenario {
        bugs = List.copyOf(bugs);
        lines = List.copyOf(lines);
        passages = Map.copyOf(passages);
    }

    private static List<Scenario> read(String file) {
        TreeMap<String, List<String>> passages = new TreeMap<>();
        List<List<String>> stories = new ArrayList<>();
        for (String text :
                text("stories/" + file + ".txt").replaceAll("\n +", " ").split("\n(?=== |-- )")) {
            List<String> lines = text.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
            String head = lines.get(0).substring(3);
            if (text.startsWith("-- ")) {
                passages.put(head, lines.subList(1, lines.size()));
            } else {
                stories.add(lines);
            }
        }
        return stories.stream().map(lines -> of(lines, passages)).toList();
    }

    private static Scenario of(List<String> lines, Map<String, List<String>> passages) {
        String[] head = lines.get(0).substring(3).split("[:,] ");
        List<String> more = Arrays.asList(head).subList(2, head.length);
        String settings = more.stream()
                .filter(List.of("rolling", "sweeping", "probing")::contains)
                .findFirst()
                .orElse("calm");
        List<Bug> bugs = more.stream()
                .filter(each -> !each.equals(settings))
                .map(Bug::valueOf)
                .toList();
        return new Scenario(
                head[0], lines.get(1), Rule.valueOf(head[1]), settings, bugs, lines.subList(2, lines.size()), passages);
    }

    private static String text(String resource) {
        try (InputStream in = Objects.requireNonNull(Scenario.class.getResourceAsStream(resource), resource)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /**
     * The result of a script. Immutable.
     *
     * @param told the story, line by line
     * @param diagram the messages and sentences of the story, without what followed it
     * @param findings violations of the rules
     * @param notAsTold the step that did not happen as the script says; null if all steps did
     */
    public record Report(
            List<String> told,
            Timeline.Diagram diagram,
            List<Finding> findings,
            @Nullable String notAsTold) {
        public Report {
            told = List.copyOf(told);
            findings = List.copyOf(findings);
        }

        public boolean isRight() {
            return findings.isEmpty() && notAsTold == null;
        }
    }

    /** Null if there is none of that name. */
    public static @Nullable Scenario of(String id) {
        return ALL.stream().filter(each -> each.id().equals(id)).findFirst().orElse(null);
    }

    /** The scenario of a name that there is. */
    public static Scenario named(String id) {
        return Objects.requireNonNull(of(id), id);
    }

    /** Runs the script, repairs everything and checks the history. The seed only determines small delays. */
    public Report play(long seed, Bug bug) {
        return play(new Stage(seed, bug, SimSettings.named(settings)));
    }

    /** The same, with its film. */
    public Filmed film(long seed, Bug bug) {
        Stage stage = new Stage(seed, bug, SimSettings.named(settings));
        Film film = new Film(id + (bug == Bug.NONE ? "" : " --bug " + bug), stage.cluster(), stage.workload());
        stage.world().film(film);
        Report report = play(stage);
        return new Filmed(report, film);
    }

    /** A story and its film. */
    public record Filmed(Report report, Film film) {}

    private Report play(Stage stage) {
        String notAsTold = null;
        try {
            stage.begin();
            new Script(stage, passages).play(lines);
        } catch (Stage.NotAsTold stopped) {
            notAsTold = stopped.getMessage();
        }
        stage.end();
        List<String> told = new ArrayList<>();
        told.add(id + ": " + title + ".");
        told.add("");
        told.addAll(stage.timeline().lines());
        told.add("");
        List<Finding> findings = stage.world().violations();
        if (notAsTold != null) {
            told.add("The story ended early: " + notAsTold + ".");
        }
        told.add("Then everything was repaired, every key was read and written again, and the history was checked.");
        if (findings.isEmpty()) {
            told.add("No violation was found. What held: " + rule + ".");
        } else {
            told.add("WRONG. What should have held: " + rule + ". But:");
            findings.forEach(finding -> told.add(finding.toString()));
        }
        return new Report(told, stage.timeline().diagram(), findings, notAsTold);
    }

    @Override
    public String toString() {
        return id;
    }
}
