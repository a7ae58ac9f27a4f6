package cleave.chaos.balance;

import cleave.chaos.balance.Moment.Share;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.StatusReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Polls the leader's map, loads and events, records them, and reports progress. Confined to its owner.
 */
final class Watch {
    private static final Duration PERIOD = Duration.ofMillis(200);
    private static final double TELL_SECONDS = 5;
    private static final double NANOS_PER_SECOND = 1e9;

    private final AdminClient admin;
    private final List<String> servers;
    private final Consumer<String> progress;
    private final Instant zero;
    private final List<Moment> moments = new ArrayList<>();
    private final List<LeaderEvent> events = new ArrayList<>();
    private long last;
    private double toldSeconds = Double.NEGATIVE_INFINITY;

    /** @param lead time until second 0 */
    Watch(AdminClient admin, List<String> servers, Duration lead, Consumer<String> progress) {
        this.admin = admin;
        this.servers = List.copyOf(servers);
        this.progress = progress;
        this.zero = Instant.now().plus(lead);
        this.last = admin.events(0).stream().mapToLong(Event::getNumber).max().orElse(0);
    }

    /** Seconds on this watch's clock. */
    double now() {
        return seconds(Instant.now());
    }

    private double seconds(Instant at) {
        return Duration.between(zero, at).toNanos() / NANOS_PER_SECOND;
    }

    /** Watches until this second. */
    void until(double second) {
        until(second, () -> false);
    }

    /** Watches until a condition holds, but no longer than until this second; true if it held. */
    boolean until(double second, BooleanSupplier condition) {
        look();
        while (!condition.getAsBoolean()) {
            if (now() >= second) {
                return false;
            }
            LockSupport.parkNanos(PERIOD.toNanos());
            look();
        }
        return true;
    }

    private void look() {
        try {
            for (Event event : admin.events(last)) {
                last = event.getNumber();
                LeaderEvent told = new LeaderEvent(seconds(Ticks.toInstant(event.getTicks())), event);
                events.add(told);
                progress.accept(told.toString());
            }
            Moment moment = moment(admin.status());
            moments.add(moment);
            if (moment.seconds() >= toldSeconds + TELL_SECONDS) {
                toldSeconds = moment.seconds();
                progress.accept(moment.toString());
            }
        } catch (CommandFailure noLeader) {
            progress.accept(String.format(Locale.ROOT, "%6.1f s  %s", now(), noLeader.getMessage()));
        }
    }

    private Moment moment(StatusReply status) {
        Map<Long, Double> entities = new HashMap<>();
        for (RangeState state : status.getStatesList()) {
            entities.put(state.getRange(), state.getEntitiesPerSecond());
        }
        TreeMap<String, Share> shares = new TreeMap<>();
        servers.forEach(server -> shares.put(server, Share.NOTHING));
        for (RangeRow row : status.getMap().getRowsList()) {
            String owner = row.getOwner().getServer();
            double load = entities.getOrDefault(row.getId(), 0.0);
            shares.put(owner, shares.getOrDefault(owner, Share.NOTHING).with(load));
        }
        return new Moment(now(), shares);
    }

    /** The number of servers. */
    int servers() {
        return servers.size();
    }

    List<Moment> moments() {
        return List.copyOf(moments);
    }

    Moment latest() {
        return moments.get(moments.size() - 1);
    }

    List<LeaderEvent> events() {
        return List.copyOf(events);
    }

    /** Handoffs that began since a second, in order. */
    Stream<LeaderEvent> begun(double sinceSecond) {
        return events.stream().filter(told -> told.is(LeaderEvent.BEGUN) && told.seconds() >= sinceSecond);
    }

    /** True if every handoff that was seen to begin was seen to end. */
    boolean isIdle() {
        return begun(Double.NEGATIVE_INFINITY)
                .allMatch(begun -> events.stream()
                        .anyMatch(told -> told.handoff() == begun.handoff() && !told.is(LeaderEvent.BEGUN)));
    }

    /** Ends of handoffs of this use that were committed, in order: split, merge or move. */
    Stream<LeaderEvent> committed(String use) {
        Map<Long, String> uses = new HashMap<>();
        begun(Double.NEGATIVE_INFINITY).forEach(told -> uses.put(told.handoff(), told.use()));
        return events.stream().filter(told -> told.is(LeaderEvent.ENDED) && use.equals(uses.get(told.handoff())));
    }

    /** Verdicts of the balancer with this reason, in order. */
    Stream<LeaderEvent> verdicts(String reason) {
        return events.stream().filter(told -> told.is(LeaderEvent.VERDICT) && told.isFor(reason));
    }
}
