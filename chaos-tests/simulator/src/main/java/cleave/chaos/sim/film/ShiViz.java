package cleave.chaos.sim.film;

import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A run as a log with vector clocks, as ShiViz reads it: the first line is the expression that parses it, the second one is empty, and
 * each event has two lines, host with clock and text. A clock has an entry for each host of which something is known. Stateless.
 */
final class ShiViz {
    private static final String EXPRESSION = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)";

    private ShiViz() {}

    /** The order at one moment: what was received may have caused what was sent. */
    private enum Kind {
        SENT_AND_RECEIVED_AT_ONCE,
        RECEIVED,
        HAPPENED,
        SENT
    }

    /** @param message its number, -1 if there is none */
    private record Step(long nanos, Kind kind, String host, String text, int message) {}

    static void write(Film film, Writer out) throws IOException {
        out.write(EXPRESSION + "\n\n");
        Map<String, Map<String, Integer>> clocks = new TreeMap<>();
        Map<Integer, Map<String, Integer>> onTheirWay = new HashMap<>();
        for (Step step : steps(film)) {
            Map<String, Integer> clock = clocks.computeIfAbsent(step.host(), first -> new TreeMap<>());
            clock.merge(step.host(), 1, Integer::sum);
            if (step.kind() == Kind.RECEIVED) {
                Map<String, Integer> sent = onTheirWay.remove(step.message());
                if (sent != null) {
                    sent.forEach((host, count) -> clock.merge(host, count, Math::max));
                }
            } else if (step.message() >= 0) {
                onTheirWay.put(step.message(), new TreeMap<>(clock));
            }
            String entries = clock.entrySet().stream()
                    .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
                    .collect(Collectors.joining(","));
            out.write(step.host() + " {" + entries + "}\n");
            out.write(String.format(Locale.ROOT, "%.6f %s\n", step.nanos() / 1e9, step.text()));
        }
    }

    private static List<Step> steps(Film film) {
        List<Step> steps = new ArrayList<>();
        Set<String> names = film.names();
        int number = 0;
        for (Film.Sent sent : film.messages()) {
            if (!names.contains(sent.from()) || !names.contains(sent.to())) {
                continue;
            }
            boolean isAtOnce = sent.sentNanos() == sent.nanos();
            String text = text(sent);
            String fate = sent.fate() == Film.Fate.ARRIVED ? "" : ", " + sent.fate();
            steps.add(new Step(
                    sent.sentNanos(),
                    isAtOnce ? Kind.SENT_AND_RECEIVED_AT_ONCE : Kind.SENT,
                    sent.from(),
                    "sends to " + sent.to() + ": " + text + fate,
                    number));
            if (sent.fate() == Film.Fate.ARRIVED) {
                steps.add(new Step(
                        sent.nanos(), Kind.RECEIVED, sent.to(), "receives from " + sent.from() + ": " + text, number));
            }
            number++;
        }
        for (Film.Event event : film.nodes()) {
            if (names.contains(event.subject())) {
                steps.add(new Step(event.nanos(), Kind.HAPPENED, event.subject(), "is " + event.text(), -1));
            }
        }
        steps.sort(Comparator.comparingLong(Step::nanos).thenComparing(Step::kind));
        return steps;
    }

    private static String text(Film.Sent sent) {
        String about = sent.message().about();
        return (sent.message().isAnswer() ? "answer: " : "")
                + sent.message().what()
                + (about.isEmpty() ? "" : " " + about);
    }
}
