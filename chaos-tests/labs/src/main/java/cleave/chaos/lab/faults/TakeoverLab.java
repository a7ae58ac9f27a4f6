package cleave.chaos.lab.faults;

import cleave.chaos.fault.FailedRequest;
import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.LeaderClock;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.history.Change;
import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabRun;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Series;
import cleave.model.Row;
import cleave.wire.Event;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A server is killed: others take its ranges over, with all that was acknowledged. */
final class TakeoverLab implements Experiment {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int ATTEMPTS_MAX = 3;

    /**
     * How the range of a partition was taken over, in seconds since the kill. Immutable.
     *
     * @param writable the answer of the first successful write that began after the kill
     */
    private record Taken(String partition, double dead, double ordered, double taken, double writable) {}

    /**
     * A server that was killed. Immutable.
     *
     * @param ranges ids of its ranges, by one partition of each
     * @param from when it was killed, by this process's clock
     * @param events from before it was looked up
     */
    private record Killed(int server, Map<Integer, String> ranges, LeaderClock clock, long from, List<Event> events) {
        /** False if the masters had taken it for dead before, as they may on a busy machine: then it had no ranges any more. */
        boolean wasServing() {
            return !sinceDeath().isEmpty();
        }

        /** The events from its death on: earlier ones may be about a range that it had just been given. */
        List<Event> sinceDeath() {
            return events.stream()
                    .dropWhile(event -> !isDeath(event, name(server)) || clock.nanosOf(event) < from)
                    .toList();
        }

        private static boolean isDeath(Event event, String server) {
            return event.getKind().equals("server-dead")
                    && event.getServersList().stream().anyMatch(each -> each.startsWith(server));
        }
    }

    @Override
    public void run(LabRun run) throws IOException {
        FaultCluster faults = FaultCluster.on(run.cluster(), run.of(6, 24));
        try (Clients clients = Clients.started(run, faults)) {
            Killed killed = kill(run, faults, clients);
            for (int attempt = 1; attempt < ATTEMPTS_MAX && !killed.wasServing(); attempt++) {
                run.progress(name(killed.server()) + " was declared dead before it was killed; another one");
                killed = kill(run, faults, clients);
            }
            clients.stop();
            if (killed.wasServing()) {
                report(run, faults, clients, killed);
            } else {
                clients.claimNothingWrong();
                run.claim(
                        "a server serves its ranges until it is killed",
                        false,
                        "each of " + ATTEMPTS_MAX
                                + " was declared dead before, for its silence: this machine is too slow or too busy for"
                                + " this lab");
            }
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
        LeaderClock clock = new LeaderClock();
        run.progress("killing " + name(server) + ", which serves " + ranges.size() + " partitions");
        long from = System.nanoTime();
        faults.killServer(server, clients.workload());
        List<Event> events = run.admin().events(last);
        clients.writeEverywhere();
        return new Killed(server, ranges, clock, from, events);
    }

    private static String name(int server) {
        return "server-" + (server + 1);
    }

    private static void report(LabRun run, FaultCluster faults, Clients clients, Killed killed) {
        List<Taken> taken = new ArrayList<>();
        killed.ranges()
                .forEach((partition, range) -> taken.add(new Taken(
                        RecordingClients.partitionKey(partition),
                        seconds(killed, find(killed.sinceDeath(), "server-dead", name(killed.server()), null)),
                        seconds(killed, find(killed.sinceDeath(), "takeover-ordered", null, range)),
                        seconds(killed, find(killed.sinceDeath(), "takeover-ended", null, range)),
                        (firstWrite(clients, partition, killed.from()) - killed.from()) / NANOS_PER_SECOND)));
        report(run, taken);
        claim(
                run,
                clients,
                List.copyOf(killed.ranges().keySet()),
                taken,
                faults.partitionsOf(killed.server()).size());
    }

    /** The first event of a kind about a server or a range. */
    private static Event find(List<Event> events, String kind, @Nullable String server, @Nullable String range) {
        return events.stream()
                .filter(event -> event.getKind().equals(kind))
                .filter(event -> range == null || event.getRangesList().contains(range))
                .filter(event ->
                        server == null || event.getServersList().stream().anyMatch(each -> each.startsWith(server)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no event " + kind + " about "
                        + Objects.requireNonNullElse(server, "range " + range) + " in " + events));
    }

    private static double seconds(Killed killed, Event event) {
        return Math.max(0, (killed.clock().nanosOf(event) - killed.from()) / NANOS_PER_SECOND);
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

    private static void report(LabRun run, List<Taken> taken) {
        run.table(
                "The ranges of the killed server, in seconds since the kill",
                List.of("first key", "declared dead", "ordered", "taken over", "takes writes"),
                taken.stream()
                        .map(each -> List.of(
                                each.partition(),
                                figure(each.dead()),
                                figure(each.ordered()),
                                figure(each.taken()),
                                figure(each.writable())))
                        .toList());
        run.draw(Chart.lines(
                "The ranges of a killed server",
                "partitions",
                "seconds since the kill",
                List.of(
                        steps("the server is declared dead", taken, Taken::dead),
                        steps("its range is another server's to open", taken, Taken::ordered),
                        steps("sealed, replayed and taken over", taken, Taken::taken),
                        steps("a client's write is acknowledged", taken, Taken::writable))));
    }

    private static String figure(double seconds) {
        return String.format(Locale.ROOT, "%.2f", seconds);
    }

    /** How many had got so far, over time. */
    private static Series steps(String name, List<Taken> taken, ToDoubleFunction<Taken> when) {
        List<Double> times = taken.stream().map(when::applyAsDouble).sorted().toList();
        List<Double> x = new ArrayList<>(List.of(0.0));
        List<Double> y = new ArrayList<>(List.of(0.0));
        for (int i = 0; i < times.size(); i++) {
            x.add(times.get(i));
            y.add((double) i);
            x.add(times.get(i));
            y.add(i + 1.0);
        }
        return new Series(name, x, y);
    }

    private static void claim(LabRun run, Clients clients, List<Integer> partitions, List<Taken> taken, int left) {
        List<String> own =
                partitions.stream().map(RecordingClients::partitionKey).toList();
        long elsewhere = clients.failedRequests().stream()
                .filter(failed ->
                        failed.key() == null || !own.contains(failed.key().partition()))
                .count();
        List<FailedRequest> failed = clients.failedRequests();
        run.say("Of " + clients.stop().size() + " operations, " + failed.size()
                + " failed or have an unknown outcome: " + (failed.size() - elsewhere)
                + " in the ranges of the killed server, and " + elsewhere + " in others.");
        clients.claimNothingWrong();
        run.claim(
                "other servers have all its ranges, and each takes writes",
                left == 0,
                taken.size() + " partitions, of which " + left + " are still the killed server's");
        run.claim(
                "the server is declared dead first, then a range is ordered, then it is taken over",
                taken.stream().allMatch(each -> each.dead() <= each.ordered() && each.ordered() <= each.taken()),
                "the first was ordered after "
                        + figure(
                                taken.stream().mapToDouble(Taken::ordered).min().orElse(0))
                        + " s, the last taken over after "
                        + figure(taken.stream().mapToDouble(Taken::taken).max().orElse(0)) + " s");
    }
}
