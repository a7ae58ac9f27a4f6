package cleave.chaos.fault;

import cleave.chaos.history.Call;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Operation;
import cleave.chaos.load.run.Tally;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The waits of clients for reads, writes and transactions, with place and time. Immutable. */
final class Stalls {
    private static final long NANOS_PER_MICRO = 1_000;
    /** The leader hears of the end of a handoff slightly after it. */
    private static final long SLACK_NANOS = 20_000_000;

    /** A wait for an answer. Immutable. */
    record Waited(Key key, long from, long until) {
        long nanos() {
            return until - from;
        }
    }

    /** Longest first. */
    private final List<Waited> all = new ArrayList<>();

    Stalls(List<Operation> operations, long table) {
        for (Operation operation : operations) {
            EntityKey key = FailedRequest.keyOf(operation);
            if (key != null) {
                Call call = operation.call();
                all.add(new Waited(Key.of(table, key.partition(), ""), call.invoked(), call.returned()));
            }
        }
        all.sort(Comparator.comparingLong(Waited::nanos).reversed());
    }

    /** The longest wait on a key of the interval that overlaps a time span; -1 if no request does. */
    long longest(KeyRange interval, long from, long until) {
        for (Waited one : all) {
            if (one.from() <= until && one.until() >= from && interval.contains(one.key())) {
                return one.nanos();
            }
        }
        return -1;
    }

    /** The longest wait on a key of a handoff around its switch; -1 if no request was sent then. */
    long longestAtSwitch(SeenHandoff handoff) {
        long from = handoff.ended() - handoff.switchMicros() * NANOS_PER_MICRO - SLACK_NANOS;
        return longest(handoff.interval(), from, handoff.ended() + SLACK_NANOS);
    }

    /** The longest wait on a key of a handoff from its beginning to its end; -1 if no request was sent then. */
    long longestDuring(SeenHandoff handoff) {
        return longest(handoff.interval(), handoff.begun(), handoff.ended() + SLACK_NANOS);
    }

    /** Waits on keys of the interval that began in a time span. */
    List<Waited> begunWithin(KeyRange interval, long from, long until) {
        return all.stream()
                .filter(one -> one.from() >= from && one.from() < until && interval.contains(one.key()))
                .toList();
    }

    /** Waits that began at this time or later. */
    Histogram distribution(long from) {
        Histogram distribution = new Histogram(Tally.DIGITS);
        all.stream().filter(one -> one.from() >= from).mapToLong(Waited::nanos).forEach(distribution::recordValue);
        return distribution;
    }
}
