package cleave.chaos.sim.film;

import cleave.chaos.sim.stories.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** A short run as a sequence diagram of Mermaid, which GitHub and many editors draw: what a told story shows, and no more. Stateless. */
final class Mermaid {
    /** What Mermaid draws unless it is told to draw more. */
    static final int CHARACTERS_MAX = 50_000;

    private Mermaid() {}

    private record Line(long nanos, String text) {}

    /** The diagram of a run that is too long for one is longer than {@link #CHARACTERS_MAX}. */
    static String of(Film film) {
        List<String> participants = new ArrayList<>(film.names());
        Set<String> used = new TreeSet<>();
        List<Line> lines = new ArrayList<>();
        for (Film.Sent sent : film.messages()) {
            if (Timeline.matters(sent.message())
                    && participants.contains(sent.from())
                    && participants.contains(sent.to())) {
                used.add(sent.from());
                used.add(sent.to());
                lines.add(new Line(sent.nanos(), arrow(sent)));
            }
        }
        for (Film.Event event : film.nodes()) {
            if (event.nanos() >= film.begin() && participants.contains(event.subject())) {
                used.add(event.subject());
                lines.add(new Line(event.nanos(), "Note over " + id(event.subject()) + ": " + escaped(event.text())));
            }
        }
        participants.retainAll(used);
        if (participants.isEmpty()) {
            return "sequenceDiagram\n";
        }
        String across =
                "Note over " + id(participants.get(0)) + "," + id(participants.get(participants.size() - 1)) + ": ";
        film.sentences().forEach(said -> lines.add(new Line(said.nanos(), across + escaped(said.text()))));
        film.findings()
                .forEach(found -> lines.add(new Line(
                        found.nanos(),
                        across + "VIOLATION, " + found.subject() + ": " + escaped(firstLine(found.text())))));
        lines.sort(Comparator.comparingLong(Line::nanos));
        StringBuilder diagram = new StringBuilder("sequenceDiagram\n");
        participants.forEach(name -> diagram.append("    participant ")
                .append(id(name))
                .append(" as ")
                .append(name)
                .append('\n'));
        lines.forEach(line -> diagram.append("    ").append(line.text()).append('\n'));
        return diagram.toString();
    }

    private static String arrow(Film.Sent sent) {
        String line = sent.message().isAnswer() ? "--" : "-";
        String head = switch (sent.fate()) {
            case ARRIVED -> ">>";
            case LOST -> "x";
            case HELD -> ")";
        };
        String fate = sent.fate() == Film.Fate.ARRIVED ? "" : " (" + sent.fate() + ")";
        return id(sent.from())
                + line
                + head
                + id(sent.to())
                + String.format(Locale.ROOT, ": %.3f s ", sent.nanos() / 1e9)
                + escaped(Timeline.text(sent.message()))
                + fate;
    }

    private static String id(String name) {
        return name.replace('.', '_');
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    /** A semicolon ends a statement, and a number sign begins an entity. */
    private static String escaped(String text) {
        return text.replace("#", "#35;").replaceAll("(?<!#35);", "#59;").replace('\n', ' ');
    }
}
