package cleave.chaos.fault;

import cleave.chaos.load.run.Clients;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.Event;
import cleave.wire.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Follows the leaders' events and keeps those about handoffs. Thread-safe. Events that a leader had not delivered
 * before it ended are lost.
 */
final class HandoffEvents {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final AdminClient admin;
    private final LongFunction<@Nullable KeyRange> intervalOf;
    private final Map<Long, SeenHandoff> seen = new ConcurrentSkipListMap<>();
    private final LeaderClock clock = new LeaderClock();
    private @Nullable Clients thread;
    private long last;
    private volatile boolean stopped;

    /** @param intervalOf finds the interval of a range by its id */
    HandoffEvents(AdminClient admin, LongFunction<@Nullable KeyRange> intervalOf) {
        this.admin = admin;
        this.intervalOf = intervalOf;
    }

    void start() {
        thread = Clients.started(1, "events", number -> follow());
    }

    /** Returns when the last events have been read, if a master leads. */
    void stop() {
        stopped = true;
        if (thread != null) {
            thread.join();
        }
    }

    List<SeenHandoff> seen() {
        return new ArrayList<>(seen.values());
    }

    int done() {
        return (int) seen.values().stream().filter(SeenHandoff::done).count();
    }

    private void follow() {
        while (!stopped) {
            read();
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        read();
    }

    private void read() {
        try {
            for (Event event : admin.events(last)) {
                last = event.getNumber();
                take(event);
            }
        } catch (CommandFailure noLeader) {
            // The loop asks again.
        }
    }

    private void take(Event event) {
        long at = clock.nanosOf(event);
        long number = event.getHandoff();
        switch (event.getKind()) {
            case "handoff-begun" -> {
                KeyRange interval = intervalOf(event);
                if (interval != null) {
                    String plan = evidence(event, "plan");
                    HandoffUse use = HandoffUse.valueOf(plan.substring(0, plan.indexOf(' ')));
                    seen.put(number, new SeenHandoff(number, use, interval, at, SeenHandoff.NEVER, false, "", 0, 0));
                }
            }
            case "handoff-ended", "handoff-given-up" ->
                seen.computeIfPresent(
                        number,
                        (key, begun) -> new SeenHandoff(
                                number,
                                begun.use(),
                                begun.interval(),
                                begun.begun(),
                                at,
                                event.getKind().equals("handoff-ended"),
                                evidence(event, "ended"),
                                figure(event, "prepare-millis"),
                                figure(event, "switch-micros")));
            default -> {}
        }
    }

    private @Nullable KeyRange intervalOf(Event event) {
        KeyRange union = null;
        for (String id : event.getRangesList()) {
            KeyRange interval = intervalOf.apply(Row.parseId(id));
            if (interval == null) {
                return null;
            }
            union = union == null ? interval : new KeyRange(union.start(), interval.end());
        }
        return union;
    }

    private static String evidence(Event event, String name) {
        return event.getEvidenceList().stream()
                .filter(pair -> pair.getName().equals(name))
                .map(Setting::getValue)
                .findFirst()
                .orElse("");
    }

    private static long figure(Event event, String name) {
        String text = evidence(event, name);
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }
}
