package cleave.chaos.load.report;

import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tells from the masters' events what happened to ranges during a load. Stateless. */
public final class Marks {
    private static final double MILLIS_PER_SECOND = 1e3;

    private Marks() {}

    /** The number of the last event so far. */
    public static long last(AdminClient masters) {
        return masters.events(0).stream().mapToLong(Event::getNumber).max().orElse(0);
    }

    /**
     * The marks of a run, whose load has ended.
     *
     * @param after the number of the last event before it
     * @param zero the wall clock at its second 0
     * @throws CommandFailure if no master answers
     */
    public static List<Mark> since(AdminClient masters, long after, Instant zero) {
        return of(masters.events(after), zero);
    }

    /** The events that changed who serves what, and verdicts. */
    static List<Mark> of(List<Event> events, Instant zero) {
        Map<Long, String> plans = new HashMap<>();
        List<Mark> marks = new ArrayList<>();
        for (Event event : events) {
            double second =
                    Duration.between(zero, Ticks.toInstant(event.getTicks())).toMillis() / MILLIS_PER_SECOND;
            switch (event.getKind()) {
                case "handoff-begun" -> plans.put(event.getHandoff(), plan(event));
                case "handoff-ended" -> {
                    String plan = plans.getOrDefault(event.getHandoff(), "");
                    String use = plan.split(" ")[0].toLowerCase(Locale.ROOT);
                    marks.add(new Mark(second, use.isEmpty() ? "move" : use, ranges(event)));
                }
                case "server-dead" ->
                    marks.add(
                            new Mark(second, "failover", "declared dead: " + String.join(" ", event.getServersList())));
                case "takeover-ended" -> marks.add(new Mark(second, "failover", "taken over: " + ranges(event)));
                case "verdict" -> marks.add(new Mark(second, "verdict", event.getReason()));
                default -> {
                    // It changes nothing for clients.
                }
            }
        }
        return marks;
    }

    private static String plan(Event event) {
        return event.getEvidenceList().stream()
                .filter(pair -> pair.getName().equals("plan"))
                .map(Setting::getValue)
                .findFirst()
                .orElse("");
    }

    private static String ranges(Event event) {
        return "ranges " + String.join(" ", event.getRangesList())
                + (event.getServersCount() == 0 ? "" : " on " + String.join(" ", event.getServersList()));
    }
}
