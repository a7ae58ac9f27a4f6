package cleave.chaos.lab.faults;

import cleave.chaos.fault.FailedRequest;
import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.LeaderClock;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.history.Change;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.Measurement;
import cleave.chaos.picture.KeySpace;
import cleave.chaos.picture.KeySpace.Held;
import cleave.chaos.picture.KeySpace.Moment;
import cleave.chaos.picture.KeySpace.Request;
import cleave.model.Row;
import cleave.wire.Event;
import cleave.wire.RangeRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * A server is killed: others take its ranges over, with all that was acknowledged. The picture of the key space is not that of a
 * {@link cleave.chaos.lab.partitioning.RangeWatch}, which looks every 400 ms and dates handoffs alone: here all is over in less, and each range is dated by the
 * leader's event of its takeover.
 */
final class TakeoverLab implements Measurement {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int ATTEMPTS_MAX = 3;
    /** What the picture shows before the kill, and after all is served again. */
    private static final double AROUND_SECONDS = 0.4;

    /**
     * How the range of a partition was taken over, in seconds since the kill. Immutable.
     *
     * @param writable the answer of the first successful write that began after the kill
     */
    record Taken(String partition, double dead, double ordered, double taken, double writable) {}

    /**
     * A server that was killed. Immutable.
     *
     * @param ranges ids of its ranges, by one partition of each
     * @param before who owned each partition, in their order
     * @param after the same when all was taken over
     * @param from when it was killed, by this process's clock
     * @param events from before it was looked up
     */
    private record Killed(
            int server,
            Map<Integer, String> ranges,
            List<Held> before,
            List<Held> after,
            LeaderClock clock,
            long from,
            List<Event> events) {
        /** False if the masters had taken it for dead before, as they may on a busy machine: then it had no ranges any more. */
        boolean wasServing() {
            return !sinceDeath().isEmpty();
        }

        /** The events from its death on: earlier ones may be about a range that it had just been given. */
        List<Event> sinceDeath() {
            return events.stream()
                    .dropWhile(event -> !event.getKind().equals("server-dead")
                            || !isAbout(event, name(server))
                            || clock.nanosOf(event) < from)
                    .toList();
        }
    }

    /**
     * The measurements of this lab. Immutable.
     *
     * @param taken the ranges of the killed server, by one partition of each; none if each server that was killed had been declared dead before
     * @param keys who served which partitions, and when a write of which was acknowledged, in seconds since the kill
     * @param left partitions that are still the killed server's
     * @param failed operations that failed or have an unknown outcome
     * @param elsewhere those of them in ranges of other servers
     */
    record Seen(List<Taken> taken, KeySpace keys, int left, int operations, int failed, long elsewhere) {}

    @Override
    public Seen of(LabRun run) throws IOException {
        FaultCluster faults = FaultCluster.on(run.cluster(), run.of(6, 24));
        try (Clients clients = Clients.started(run, faults)) {
            Killed killed = kill(run, faults, clients);
            for (int attempt = 1; attempt < ATTEMPTS_MAX && !killed.wasServing(); attempt++) {
                run.progress(name(killed.server()) + " was declared dead before it was killed; another one");
                killed = kill(run, faults, clients);
            }
            clients.claimNothingWrong();
            return seen(faults, clients, killed);
        }
    }

    /** Kills the server with the most ranges; returns when each range takes writes again. */
    private static Killed kill(LabRun run, FaultCluster faults, Clients clients) {
        long last =
                run.admin().events(0).stream().mapToLong(Event::getNumber).max().orElse(0);
        int server = faults.busiestServer();
        Map<Integer, String> ranges = new LinkedHashMap<>();
        faults.partitionsOf(server)
                .forEach(partition ->
                        ranges.put(partition, Row.idText(faults.rowOf(partition).getId())));
        List<Held> before = owners(faults);
        LeaderClock clock = new LeaderClock();
        run.progress("killing " + name(server) + ", which serves " + ranges.size() + " partitions");
        long from = System.nanoTime();
        faults.killServer(server, clients.workload());
        List<Event> events = run.admin().events(last);
        List<Held> after = owners(faults);
        clients.writeEverywhere();
        return new Killed(server, ranges, before, after, clock, from, events);
    }

    private static List<Held> owners(FaultCluster faults) {
        return IntStream.range(0, FaultCluster.PARTITIONS)
                .mapToObj(partition -> {
                    RangeRow row = faults.rowOf(partition);
                    return new Held(
                            Row.idText(row.getId()),
                            RecordingClients.partitionKey(partition),
                            row.getOwner().getServer(),
                            true);
                })
                .toList();
    }

    private static String name(int server) {
        return "server-" + (server + 1);
    }

    private static Seen seen(FaultCluster faults, Clients clients, Killed killed) {
        List<Taken> taken = new ArrayList<>();
        Map<Integer, String> ranges = killed.wasServing() ? killed.ranges() : Map.of();
        ranges.forEach((partition, range) -> taken.add(new Taken(
                RecordingClients.partitionKey(partition),
                seconds(killed, "server-dead", name(killed.server())),
                seconds(killed, "takeover-ordered", range),
                seconds(killed, "takeover-ended", range),
                (firstWrite(clients, partition, killed.from()) - killed.from()) / NANOS_PER_SECOND)));
        List<String> own =
                ranges.keySet().stream().map(RecordingClients::partitionKey).toList();
        List<FailedRequest> failed = clients.failedRequests();
        long elsewhere = failed.stream()
                .filter(each -> each.key() == null || !own.contains(each.key().partition()))
                .count();
        int left = faults.partitionsOf(killed.server()).size();
        List<Request> writes = clients.acknowledged().stream()
                .map(change -> new Request(
                        (change.call().returned() - killed.from()) / NANOS_PER_SECOND,
                        change.writes().get(0).key().partition()))
                .toList();
        KeySpace keys = keys(name(killed.server()), killed.before(), killed.after(), taken, writes);
        return new Seen(taken, keys, left, clients.stop().size(), failed.size(), elsewhere);
    }

    /**
     * The killed server's ranges change hands one after the other, and before that nobody serves them.
     *
     * @param before owners by partition, before the kill
     * @param after the same when all was taken over
     * @param writes those that were acknowledged, in seconds since the kill
     */
    static KeySpace keys(String killed, List<Held> before, List<Held> after, List<Taken> taken, List<Request> writes) {
        Map<String, Double> takenAt = new TreeMap<>();
        taken.forEach(each -> takenAt.put(each.partition(), each.taken()));
        TreeSet<Double> changes = new TreeSet<>(takenAt.values());
        changes.addAll(List.of(-AROUND_SECONDS, 0.0));
        List<Moment> moments = new ArrayList<>();
        for (double second : changes) {
            List<Held> held = new ArrayList<>();
            for (int i = 0; i < before.size(); i++) {
                Held old = before.get(i);
                boolean isTaken = second >= takenAt.getOrDefault(old.from(), Double.POSITIVE_INFINITY);
                boolean isServed = second < 0 || isTaken || !old.holder().equals(killed);
                Held now = isTaken ? after.get(i) : new Held(old.range(), old.from(), old.holder(), isServed);
                if (held.isEmpty() || !held.get(held.size() - 1).range().equals(now.range())) {
                    held.add(now);
                }
            }
            moments.add(new Moment(second, held));
        }
        double until = AROUND_SECONDS
                + taken.stream().mapToDouble(Taken::writable).max().orElse(0);
        return KeySpace.of("PartitionKey", moments, until)
                .dotted(writes.stream()
                        .filter(write -> write.x() > -AROUND_SECONDS && write.x() < until)
                        .toList());
    }

    /** When the first event of a kind about a server or a range was, in seconds since the kill. */
    private static double seconds(Killed killed, String kind, String about) {
        Event first = killed.sinceDeath().stream()
                .filter(event -> event.getKind().equals(kind))
                .filter(event -> event.getRangesList().contains(about) || isAbout(event, about))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalStateException("no event " + kind + " about " + about + " in " + killed.events()));
        return Math.max(0, (killed.clock().nanosOf(first) - killed.from()) / NANOS_PER_SECOND);
    }

    private static boolean isAbout(Event event, String server) {
        return event.getServersList().stream().anyMatch(each -> each.startsWith(server));
    }

    private static long firstWrite(Clients clients, int partition, long from) {
        String key = RecordingClients.partitionKey(partition);
        return clients.acknowledged().stream()
                .filter(change -> change.call().invoked() > from && isOf(change, key))
                .mapToLong(change -> change.call().returned())
                .min()
                .orElseThrow();
    }

    private static boolean isOf(Change change, String partition) {
        return change.writes().get(0).key().partition().equals(partition);
    }
}
