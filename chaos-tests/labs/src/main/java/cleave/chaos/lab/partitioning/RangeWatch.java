package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabRun;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.KeySpace;
import cleave.chaos.picture.Symbol;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.EventText;
import cleave.deploy.terminal.Wait;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.Incarnation;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.ServerInfo;
import cleave.wire.Setting;
import cleave.wire.StatusReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records which ranges a table has, who serves them, what they carry, and what the masters' leader did to them. Confined to its thread. It asks
 * for two keys each time, so a table that is watched has a load of some entities a second.
 */
public final class RangeWatch implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofMillis(400);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double TELL_SECONDS = 5;
    private static final String DEAD = "server-dead";
    /** Why a server was declared dead, if it was not because its process has ended. */
    private static final String SILENT = "silent for too long";

    private static final String BEGUN = "handoff-begun";
    private static final String ENDED = "handoff-ended";
    private static final String VERDICT = "verdict";
    private static final String BALANCER = "balancer: ";
    private static final Map<String, Symbol> SYMBOLS =
            Map.of("split", Symbol.UP, "merge", Symbol.DOWN, "move", Symbol.DOT, VERDICT, Symbol.EXCLAMATION);

    private final LabRun run;
    private final AdminClient admin;
    private final LabClient client;
    /** Null: all ranges of the cluster are watched. */
    private final @Nullable Interval interval;

    private final Instant zero;
    private final List<Moment> moments = new ArrayList<>();
    private final List<Happening> happenings = new ArrayList<>();
    private final List<Happening> begun = new ArrayList<>();
    /** Handoffs that have begun and not ended. */
    private final Set<Long> open = new HashSet<>();
    /** Every range that the table ever had. */
    private final TreeSet<String> ranges = new TreeSet<>();
    /** The kind of each handoff that has begun, by its number: split, merge or move. */
    private final Map<Long, String> kinds = new HashMap<>();

    private long lastEvent;
    private long silences;
    private double toldSeconds = Double.NEGATIVE_INFINITY;

    /** The keys from the first to the last PartitionKey of a table. */
    private record Interval(String table, String firstKey, String lastKey) {}

    /**
     * One range of the table at one time. Immutable.
     *
     * @param firstKey the first PartitionKey that may be in it; the first one that is watched if the range begins before that
     * @param server its owner
     * @param isServed false if its owner was declared dead
     */
    public record Part(String range, String firstKey, String server, boolean isServed, double entitiesPerSecond) {}

    /** The ranges of the table at one time, in the order of keys. Immutable. */
    public record Moment(double seconds, List<Part> parts) {
        public Moment {
            parts = List.copyOf(parts);
        }

        long servers() {
            return parts.stream().map(Part::server).distinct().count();
        }

        double carriedBy(String server) {
            return parts.stream()
                    .filter(part -> part.server().equals(server))
                    .mapToDouble(Part::entitiesPerSecond)
                    .sum();
        }

        long rangesOf(String server) {
            return parts.stream().filter(part -> part.server().equals(server)).count();
        }

        @Override
        public String toString() {
            String each = parts.stream()
                    .map(Part::server)
                    .distinct()
                    .sorted()
                    .map(server -> String.format(
                            Locale.ROOT, "%s %d with %,.0f/s", server, rangesOf(server), carriedBy(server)))
                    .collect(Collectors.joining(", "));
            return Ranges.counted(parts.size()) + ": " + each;
        }
    }

    /**
     * A handoff of the ranges that began or was committed, or a verdict on one of them. Immutable.
     *
     * @param kind split, merge, move or verdict
     * @param why the balancer's reason; empty for what an operator asked for
     */
    record Happening(double seconds, String kind, String why, Event event) {
        /** A figure of the leader's; empty if there is none of this name. */
        String figure(String name) {
            return figures(event, name).findFirst().orElse("");
        }

        /** The PartitionKeys at which it happened. */
        String at() {
            return (figure("partition") + figure("at")).replaceAll("\\d+/", "");
        }

        /** The greatest load of the two ranges of a merge, of late, as the leader saw it. */
        long most() {
            return Long.parseLong("0" + figure("most-entities-per-second"));
        }

        /** True if this is the balancer's reason, such as {@code moving end}. */
        boolean isFor(String reason) {
            return why.startsWith(reason + ":");
        }

        /** With what the leader knew of it. */
        @Override
        public String toString() {
            String figures = EventText.figures(event).strip().replaceAll("\\s*\n\\s*", "; ");
            return String.format(Locale.ROOT, "%.1f s  %s  ", seconds, EventText.line(event)) + figures;
        }
    }

    /**
     * @param firstKey the PartitionKey with which the table begins
     * @param lastKey the one with which it ends
     */
    public RangeWatch(LabRun run, String table, String firstKey, String lastKey) throws IOException {
        this(run, new Interval(table, firstKey, lastKey), Duration.ZERO);
    }

    /** Watches all ranges, sends no requests, and tells what it sees; second 0 is after the lead. */
    static RangeWatch ofAll(LabRun run, Duration lead) throws IOException {
        return new RangeWatch(run, null, lead);
    }

    private RangeWatch(LabRun run, @Nullable Interval interval, Duration lead) throws IOException {
        this.run = run;
        this.admin = run.admin();
        this.client = LabClient.open(run.endpoint());
        this.interval = interval;
        this.zero = Instant.now().plus(lead);
        this.lastEvent =
                admin.events(0).stream().mapToLong(Event::getNumber).max().orElse(0);
        look();
    }

    /** Seconds since the watch began. */
    double now() {
        return Duration.between(zero, Instant.now()).toNanos() / NANOS_PER_SECOND;
    }

    /** Watches for a while. */
    public void watch(Duration duration) throws IOException {
        until(moment -> false, duration);
    }

    /** Watches until a condition holds, or the time is over; true if it held. */
    public boolean until(Predicate<Moment> condition, Duration atMost) throws IOException {
        try {
            return Wait.until(
                    () -> {
                        look();
                        return !moments.isEmpty() && condition.test(latest());
                    },
                    atMost,
                    PERIOD);
        } catch (UncheckedIOException broken) {
            throw new IOException(broken);
        }
    }

    Moment latest() {
        return moments.get(moments.size() - 1);
    }

    private void look() {
        try {
            List<Part> parts = parts();
            if (!parts.isEmpty()) {
                moments.add(new Moment(now(), parts));
                if (interval == null && now() >= toldSeconds + TELL_SECONDS) {
                    toldSeconds = now();
                    run.progress(String.format(Locale.ROOT, "%.1f s  %s", now(), latest()));
                }
            }
            parts.forEach(part -> ranges.add(part.range()));
            for (Event event : admin.events(lastEvent)) {
                lastEvent = event.getNumber();
                note(event);
            }
        } catch (CommandFailure noLeader) {
            // The next look shows more.
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** Empty if the map changed meanwhile. */
    private List<Part> parts() throws IOException {
        Cost first = interval == null ? null : client.locate(interval.table(), interval.firstKey());
        Cost last = interval == null ? null : client.locate(interval.table(), interval.lastKey());
        StatusReply status = admin.status();
        Map<Long, Double> loads = new HashMap<>();
        for (RangeState state : status.getStatesList()) {
            loads.merge(state.getRange(), state.getEntitiesPerSecond(), Double::sum);
        }
        List<RangeRow> rows = status.getMap().getRowsList();
        int from = first == null ? 0 : index(rows, first);
        int to = last == null ? rows.size() - 1 : index(rows, last);
        if (from < 0 || to < from) {
            return List.of();
        }
        Set<Incarnation> live = status.getMap().getServersList().stream()
                .map(ServerInfo::getIncarnation)
                .collect(Collectors.toSet());
        List<Part> parts = new ArrayList<>();
        for (RangeRow row : rows.subList(from, to + 1)) {
            parts.add(new Part(
                    Row.idText(row.getId()),
                    firstKey(row, parts.isEmpty()),
                    row.getOwner().getServer(),
                    live.contains(row.getOwner()),
                    loads.getOrDefault(row.getId(), 0.0)));
        }
        return parts;
    }

    /** The PartitionKey at which a range begins; behind its table, in the order of tables, if all ranges are watched. */
    private String firstKey(RangeRow row, boolean isFirst) {
        Key start = Key.fromWire(row.getStart());
        if (interval == null) {
            return String.format(Locale.ROOT, "%04d/%s", start.table(), start.partitionKey());
        }
        return isFirst ? interval.firstKey() : start.partitionKey();
    }

    private static int index(List<RangeRow> rows, Cost place) {
        if (place.ranges().isEmpty()) {
            return -1;
        }
        long id = Row.parseId(place.ranges().first());
        return rows.stream().map(RangeRow::getId).toList().indexOf(id);
    }

    private void note(Event event) {
        String kind = event.getKind();
        if (kind.equals(BEGUN)) {
            String plan = figures(event, "plan").findFirst().orElse("");
            kinds.put(
                    event.getHandoff(),
                    plan.substring(0, Math.max(0, plan.indexOf(' '))).toLowerCase(Locale.ROOT));
        }
        String use = kinds.getOrDefault(event.getHandoff(), "handoff");
        if (kind.equals(BEGUN)) {
            open.add(event.getHandoff());
            begun.add(new Happening(seconds(event), use, why(event), event));
        } else {
            open.remove(event.getHandoff());
        }
        silences += kind.equals(DEAD) && event.getReason().equals(SILENT) ? 1 : 0;
        boolean concerns = interval == null || event.getRangesList().stream().anyMatch(ranges::contains);
        if (interval == null) {
            run.progress(new Happening(seconds(event), kind, why(event), event).toString());
        }
        if (concerns && kind.equals(ENDED)) {
            figures(event, "row").forEach(ranges::add);
            happenings.add(new Happening(seconds(event), use, why(event), event));
        } else if (concerns && kind.equals(VERDICT)) {
            happenings.add(new Happening(seconds(event), VERDICT, why(event), event));
        }
    }

    private static String why(Event event) {
        return event.getReason().startsWith(BALANCER) ? event.getReason().substring(BALANCER.length()) : "";
    }

    private double seconds(Event event) {
        return Duration.between(zero, Ticks.toInstant(event.getTicks())).toNanos() / NANOS_PER_SECOND;
    }

    private static Stream<String> figures(Event event, String name) {
        return event.getEvidenceList().stream()
                .filter(pair -> pair.getName().equals(name))
                .map(Setting::getValue);
    }

    List<Moment> moments() {
        return List.copyOf(moments);
    }

    /** All that happened to the table's ranges, in order. */
    List<Happening> happenings() {
        return List.copyOf(happenings);
    }

    /** All of one kind: split, merge, move or verdict. */
    List<Happening> all(String kind) {
        return happenings.stream().filter(its -> its.kind().equals(kind)).toList();
    }

    /** Handoffs that began since a second, of whatever ranges. */
    List<Happening> begun(double sinceSecond) {
        return begun.stream().filter(its -> its.seconds() >= sinceSecond).toList();
    }

    /** True if every handoff that was seen to begin was seen to end. */
    boolean isIdle() {
        return open.isEmpty();
    }

    /** How often a server was declared dead because it was silent for too long: the machine is too busy. */
    long silences() {
        return silences;
    }

    /** The load of the table on each of these servers over time. */
    List<Series> loads(List<String> servers) {
        return servers.stream()
                .map(server -> series(server, moment -> moment.carriedBy(server)))
                .toList();
    }

    /** The load of the table on each server that had a range, over time. */
    List<Series> loads() {
        return loads(moments.stream()
                .flatMap(moment -> moment.parts().stream())
                .map(Part::server)
                .distinct()
                .sorted()
                .toList());
    }

    /** A figure of the table over time. */
    Series series(String name, ToDoubleFunction<Moment> figure) {
        return new Series(
                name,
                moments.stream().map(Moment::seconds).toList(),
                moments.stream().map(figure::applyAsDouble).toList());
    }

    /**
     * Which server held which keys, from the first look to the last one.
     *
     * @param unit what the keys are
     */
    public KeySpace keySpace(String unit) {
        List<Moment> dated = new ArrayList<>();
        for (Moment moment : moments) {
            double last = dated.isEmpty()
                    ? moment.seconds()
                    : moments.get(dated.size() - 1).seconds();
            dated.add(new Moment(changed(last, moment.seconds()), moment.parts()));
        }
        return keySpace(unit, dated, latest().seconds());
    }

    /** When what a look saw had come about: at the last handoff since the look before, which the leader dates better than the watch does. */
    private double changed(double last, double look) {
        return happenings.stream()
                .filter(its -> !its.kind().equals(VERDICT))
                .mapToDouble(Happening::seconds)
                .filter(second -> second > last && second <= look)
                .max()
                .orElse(look);
    }

    /** The key space at the last look. The axis shows a number of requests in place of the time. */
    public KeySpace latestKeySpace(String unit, double requests) {
        return keySpace(unit, List.of(new Moment(0, latest().parts())), requests);
    }

    private static KeySpace keySpace(String unit, List<Moment> seen, double until) {
        return KeySpace.of(
                unit,
                seen.stream()
                        .map(moment -> new KeySpace.Moment(
                                moment.seconds(),
                                moment.parts().stream()
                                        .map(part -> new KeySpace.Held(
                                                part.range(), part.firstKey(), part.server(), part.isServed()))
                                        .toList()))
                        .toList(),
                until);
    }

    /** Symbols for what happened. */
    List<Mark> symbols() {
        return happenings.stream()
                .map(each -> new Mark(each.seconds(), each.kind(), SYMBOLS.getOrDefault(each.kind(), Symbol.DOT)))
                .toList();
    }

    /** Marks of what happened; of the same kind within a second, one. */
    List<Mark> marks() {
        Map<String, Double> last = new HashMap<>();
        List<Mark> marks = new ArrayList<>();
        for (Happening each : happenings) {
            if (each.seconds() - last.getOrDefault(each.kind(), Double.NEGATIVE_INFINITY) > 1) {
                marks.add(new Mark(Math.max(0, each.seconds()), each.kind()));
                last.put(each.kind(), each.seconds());
            }
        }
        return marks;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
