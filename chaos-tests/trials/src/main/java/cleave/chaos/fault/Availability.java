package cleave.chaos.fault;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * When each partition took writes, as its clients saw it. Immutable. Times are nanoseconds on the clients' clock.
 *
 * @param from when the first write began
 * @param until when the last one was acknowledged
 * @param acknowledged when each write was, in order
 * @param gapNanosMin how long no write must have been acknowledged to count as a gap: several times the usual pause between two
 * @param partitions in the order of their keys
 */
record Availability(long from, long until, List<Long> acknowledged, long gapNanosMin, List<OfPartition> partitions) {
    private static final long GAP_NANOS_MIN = 200_000_000;
    private static final int USUAL_PAUSES = 6;

    Availability {
        acknowledged = List.copyOf(acknowledged);
        partitions = List.copyOf(partitions);
    }

    /** A time in which no write of a partition was acknowledged, though its clients tried. Immutable. */
    record Gap(long from, long until) {}

    /**
     * One partition. Immutable.
     *
     * @param failed when requests failed, or ended with an unknown outcome
     */
    record OfPartition(String key, List<Gap> gaps, List<Long> failed) {
        OfPartition {
            gaps = List.copyOf(gaps);
            failed = List.copyOf(failed);
        }
    }

    static Availability of(History history) {
        Map<String, List<Long>> acknowledged = new TreeMap<>();
        Map<String, List<Long>> failed = new TreeMap<>();
        long from = Long.MAX_VALUE;
        for (Operation operation : history.operations()) {
            EntityKey key = FailedRequest.keyOf(operation);
            if (key == null) {
                continue;
            }
            Call call = operation.call();
            if (operation instanceof Change) {
                from = Math.min(from, call.invoked());
                List<Long> own = acknowledged.computeIfAbsent(key.partition(), partition -> new ArrayList<>());
                if (operation.outcome() == Outcome.DONE) {
                    own.add(call.returned());
                }
            }
            if (operation.outcome() == Outcome.UNKNOWN || operation.outcome() == Outcome.NOT_EXECUTED) {
                failed.computeIfAbsent(key.partition(), partition -> new ArrayList<>())
                        .add(call.returned());
            }
        }
        acknowledged.values().forEach(times -> times.sort(null));
        List<Long> all =
                acknowledged.values().stream().flatMap(List::stream).sorted().toList();
        if (all.isEmpty()) {
            return new Availability(0, 0, all, GAP_NANOS_MIN, List.of());
        }
        long begun = from;
        long until = all.get(all.size() - 1);
        long gapMin = Math.max(GAP_NANOS_MIN, USUAL_PAUSES * usualPause(acknowledged));
        List<OfPartition> partitions = new ArrayList<>();
        acknowledged.forEach((key, times) -> partitions.add(
                new OfPartition(key, gaps(begun, until, times, gapMin), failed.getOrDefault(key, List.of()))));
        return new Availability(begun, until, all, gapMin, partitions);
    }

    /** The median. */
    private static long usualPause(Map<String, List<Long>> acknowledged) {
        List<Long> pauses = new ArrayList<>();
        for (List<Long> times : acknowledged.values()) {
            for (int i = 1; i < times.size(); i++) {
                pauses.add(times.get(i) - times.get(i - 1));
            }
        }
        pauses.sort(null);
        return pauses.isEmpty() ? 0 : pauses.get(pauses.size() / 2);
    }

    private static List<Gap> gaps(long from, long until, List<Long> times, long gapMin) {
        List<Gap> gaps = new ArrayList<>();
        long last = from;
        for (long time : (Iterable<Long>) Stream.concat(times.stream(), Stream.of(until))::iterator) {
            if (time - last > gapMin) {
                gaps.add(new Gap(last, time));
            }
            last = time;
        }
        return gaps;
    }
}
