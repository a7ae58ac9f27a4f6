package cleave.board.history;

import cleave.board.axis.CommonAxis;
import cleave.board.frame.Axis;
import cleave.board.frame.Cells;
import cleave.board.frame.Cut;
import cleave.board.frame.Frame;
import cleave.board.frame.Measure;
import cleave.board.frame.Told;
import cleave.board.frame.Told.Event;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Frames that follow each other, made one frame: the mean of what is measured a second, weighted by time, on the newest axis, and the last
 * of all else. Stale frames count only if there are no others. Confined to its owner.
 */
final class Fold {
    /** More events than that of one frame are left out, the oldest first. */
    private static final int EVENTS_MAX = 200;

    private final boolean hashed;
    private final List<Event> events = new ArrayList<>();
    private @Nullable Frame last;
    private long end;
    private long span;
    private long measuredSpan;
    /** Values times milliseconds. */
    private Map<Measure, double[]> sums = zeros(0);

    Fold(boolean hashed) {
        this.hashed = hashed;
    }

    private static Map<Measure, double[]> zeros(int buckets) {
        Map<Measure, double[]> zeros = new EnumMap<>(Measure.class);
        for (Measure measure : Measure.values()) {
            zeros.put(measure, new double[buckets]);
        }
        return zeros;
    }

    private static double[] of(Map<Measure, double[]> sums, Measure measure) {
        return Objects.requireNonNull(sums.get(measure));
    }

    boolean isEmpty() {
        return last == null;
    }

    /** Its end; only of one that is not empty. */
    long end() {
        return end;
    }

    void add(Frame frame) {
        end = frame.t();
        span += frame.span();
        if (frame.isStale()) {
            last = last == null ? frame : last;
            return;
        }
        Axis before = last == null ? Axis.NONE : last.axis();
        last = frame;
        if (!before.equals(frame.axis())) {
            sums = moved(before, frame);
        }
        for (Measure measure : Measure.values()) {
            double[] sum = of(sums, measure);
            for (int bucket = 0; bucket < sum.length; bucket++) {
                sum[bucket] += (double) frame.cells().value(measure, bucket) * frame.span();
            }
        }
        measuredSpan += frame.span();
        events.addAll(frame.told().events());
        if (events.size() > EVENTS_MAX) {
            events.subList(0, events.size() - EVENTS_MAX).clear();
        }
    }

    /** What was collected, on the axis of a frame: what it knows of a bucket is spread backwards. */
    private Map<Measure, double[]> moved(Axis from, Frame to) {
        Map<Measure, double[]> moved = zeros(to.axis().buckets());
        if (from.buckets() == 0) {
            return moved;
        }
        List<Cut> common = CommonAxis.union(from.cuts(), to.axis().cuts(), hashed);
        int[] old = CommonAxis.bucketsOf(common, from.cuts());
        int[] young = CommonAxis.bucketsOf(common, to.axis().cuts());
        for (Measure measure : Measure.values()) {
            double[] weights = new double[common.size() + 1];
            for (int i = 0; i < weights.length; i++) {
                weights[i] = to.cells().value(measure, young[i]);
            }
            double[] before = of(sums, measure);
            double[] after = of(moved, measure);
            if (measure.isAdditive()) {
                double[] divided = CommonAxis.divide(before, old, weights);
                for (int i = 0; i < divided.length; i++) {
                    after[young[i]] += divided[i];
                }
            } else {
                for (int i = 0; i < weights.length; i++) {
                    after[young[i]] = Math.max(after[young[i]], before[old[i]]);
                }
            }
        }
        return moved;
    }

    /** The one frame; only if one was added. */
    Frame result() {
        Frame whole = last;
        if (whole == null) {
            throw new IllegalStateException("nothing was folded");
        }
        if (whole.isStale()) {
            return Frame.stale(whole.n(), end, span, whole.stale());
        }
        int buckets = whole.axis().buckets();
        Cells.Builder cells = new Cells.Builder(buckets);
        for (int bucket = 0; bucket < buckets; bucket++) {
            cells.place(
                    bucket,
                    whole.cells().range(bucket),
                    whole.cells().owner(bucket),
                    whole.cells().state(bucket));
            for (Measure measure : Measure.values()) {
                boolean isLast = measure == Measure.BYTES || measuredSpan == 0;
                cells.set(
                        measure,
                        bucket,
                        isLast
                                ? whole.cells().value(measure, bucket)
                                : Math.round(of(sums, measure)[bucket] / measuredSpan));
            }
        }
        return new Frame(
                whole.n(),
                end,
                span,
                "",
                whole.axis(),
                cells.build().sharing(whole.cells()),
                whole.parties(),
                whole.ranges(),
                new Told(events, whole.told().hottest(), whole.told().notes()));
    }
}
