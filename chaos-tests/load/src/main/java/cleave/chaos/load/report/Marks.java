package cleave.chaos.load.report;

import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.EventText;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

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
    public static List<RangeMark> since(AdminClient masters, long after, Instant zero) {
        return of(masters.events(after), zero);
    }

    /** The events that changed who serves what, and verdicts. */
    static List<RangeMark> of(List<Event> events, Instant zero) {
        List<RangeMark> marks = new ArrayList<>();
        for (Event event : events) {
            String kind = kind(event);
            if (!kind.isEmpty()) {
                Duration since = Duration.between(zero, Ticks.toInstant(event.getTicks()));
                marks.add(new RangeMark(since.toMillis() / MILLIS_PER_SECOND, kind, EventText.line(event)));
            }
        }
        return marks;
    }

    /** Empty if the event changes nothing for clients. */
    private static String kind(Event event) {
        return switch (event.getKind()) {
            case "handoff-ended" ->
                event.getEvidenceList().stream()
                        .filter(pair -> pair.getName().equals("kind"))
                        .map(Setting::getValue)
                        .findFirst()
                        .orElse("move");
            case "server-dead", "takeover-ended" -> "failover";
            case "verdict" -> "verdict";
            default -> "";
        };
    }
}
