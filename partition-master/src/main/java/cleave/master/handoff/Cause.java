package cleave.master.handoff;

import cleave.wire.Event;
import cleave.wire.Figure;
import java.util.List;

/**
 * Why the leader takes an action. Immutable.
 *
 * @param asker {@code operator}, {@code balancer} or {@code drain}
 * @param figures behind the reason
 * @param rejected alternatives, and why they were rejected
 */
record Cause(String asker, String reason, List<Figure> figures, List<String> rejected) {
    Cause {
        figures = List.copyOf(figures);
        rejected = List.copyOf(rejected);
    }

    static Cause operator(String reason) {
        return new Cause("operator", reason, List.of(), List.of());
    }

    static Cause drain(String reason) {
        return new Cause("drain", reason, List.of(), List.of());
    }

    /** An event with this cause. */
    Event.Builder event() {
        return Event.newBuilder()
                .setReason(asker + ": " + reason)
                .addAllFigures(figures)
                .addAllRejected(rejected);
    }
}
