package cleave.chaos.fault;

import cleave.chaos.history.Call;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Operation;
import cleave.chaos.load.Figures;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The waits of clients for reads, writes and transactions, with place and time. Immutable. */
final class Stalls {
    private record Waited(Key key, long from, long until) {
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

    /** Waits that began at this time or later. */
    Histogram distribution(long from) {
        Histogram distribution = new Histogram(Figures.DIGITS);
        all.stream()
                .filter(one -> one.from() - from >= 0)
                .mapToLong(Waited::nanos)
                .forEach(distribution::recordValue);
        return distribution;
    }
}
