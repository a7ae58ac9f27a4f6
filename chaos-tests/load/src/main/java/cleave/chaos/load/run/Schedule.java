package cleave.chaos.load.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * When operations are due in an open loop: one after the other at a rate that is constant, or changes evenly, within each phase. Immutable and
 * pure, so that a schedule is the same on every machine.
 */
public record Schedule(List<Phase> phases) {
    private static final double NANOS_PER_SECOND = 1e9;
    /** Rounding must not lose the last operation of a phase. */
    private static final double ROUNDING = 1e-6;

    /**
     * A part of a schedule. Immutable.
     *
     * @param from operations per second at its beginning
     * @param to at its end
     */
    public record Phase(double seconds, double from, double to) {
        double operations() {
            return seconds * (from + to) / 2;
        }

        /** The second of this phase at which so much of its operations is due. */
        double secondOf(double operations) {
            double growth = (to - from) / seconds;
            if (Math.abs(growth) < ROUNDING) {
                return operations / from;
            }
            return (Math.sqrt(Math.max(0, from * from + 2 * growth * operations)) - from) / growth;
        }

        double rateAt(double second) {
            return from + (to - from) * second / seconds;
        }
    }

    public Schedule {
        phases = List.copyOf(phases);
        for (Phase phase : phases) {
            if (phase.seconds() <= 0 || phase.from() < 0 || phase.to() < 0 || phase.operations() <= 0) {
                throw new IllegalArgumentException("a phase without operations: " + phase);
            }
        }
    }

    public static Schedule constant(double rate, double seconds) {
        return new Schedule(List.of(new Phase(seconds, rate, rate)));
    }

    /** From one rate to another, evenly. */
    public static Schedule ramp(double from, double to, double seconds) {
        return new Schedule(List.of(new Phase(seconds, from, to)));
    }

    /** One constant rate after the other. */
    public static Schedule steps(List<Double> rates, double secondsOfEach) {
        List<Phase> phases = new ArrayList<>();
        rates.forEach(rate -> phases.add(new Phase(secondsOfEach, rate, rate)));
        return new Schedule(phases);
    }

    /** A constant rate to get warm at: that of the beginning, and at least a tenth of the highest. */
    Schedule warmUp(double seconds) {
        double highest = phases.stream()
                .mapToDouble(phase -> Math.max(phase.from(), phase.to()))
                .max()
                .orElse(0);
        return constant(Math.max(phases.get(0).from(), highest / 10), seconds);
    }

    /** The index of the phase in which an operation is due; the last one's after the end. */
    int phaseAt(long dueNanos) {
        double end = 0;
        for (int phase = 0; phase < phases.size() - 1; phase++) {
            end += phases.get(phase).seconds();
            if (dueNanos < Math.round(end * NANOS_PER_SECOND)) {
                return phase;
            }
        }
        return phases.size() - 1;
    }

    /** How many operations are due in each phase. */
    List<Long> operationsOfPhases() {
        List<Long> each = new ArrayList<>();
        double sum = 0;
        long before = 0;
        for (Phase phase : phases) {
            sum += phase.operations();
            long until = (long) Math.ceil(sum - ROUNDING);
            each.add(until - before);
            before = until;
        }
        return each;
    }

    /** The same with a share of the rate, for one of several processes. */
    public Schedule dividedBy(int processes) {
        return new Schedule(phases.stream()
                .map(phase -> new Phase(phase.seconds(), phase.from() / processes, phase.to() / processes))
                .toList());
    }

    /** Both at the same time: at each time the sum of their rates. */
    public Schedule plus(Schedule other) {
        double[] bounds = Stream.of(this, other)
                .flatMapToDouble(Schedule::bounds)
                .sorted()
                .distinct()
                .toArray();
        List<Phase> sum = new ArrayList<>();
        for (int i = 1; i < bounds.length; i++) {
            double begin = bounds[i - 1];
            double end = bounds[i];
            sum.add(new Phase(
                    end - begin,
                    rateAt(begin, begin) + other.rateAt(begin, begin),
                    rateAt(begin, end) + other.rateAt(begin, end)));
        }
        return new Schedule(sum);
    }

    /** The seconds at which phases begin, and the last one's end. */
    private DoubleStream bounds() {
        double[] bounds = new double[phases.size() + 1];
        for (int i = 0; i < phases.size(); i++) {
            bounds[i + 1] = bounds[i] + phases.get(i).seconds();
        }
        return Arrays.stream(bounds);
    }

    /** When an operation is due, in nanoseconds from the beginning; -1 if the schedule ends before. */
    public long dueNanos(long operation) {
        double left = operation;
        double begin = 0;
        for (Phase phase : phases) {
            if (left < phase.operations() - ROUNDING) {
                return Math.round((begin + phase.secondOf(left)) * NANOS_PER_SECOND);
            }
            left -= phase.operations();
            begin += phase.seconds();
        }
        return -1;
    }

    /** Operations per second at a time; 0 after the end. */
    public double rateAt(double second) {
        return rateAt(second, second);
    }

    /** The rate at a time by the phase of another time, which may end just there; 0 after the end. */
    private double rateAt(double secondOfPhase, double second) {
        double begin = 0;
        for (Phase phase : phases) {
            if (secondOfPhase < begin + phase.seconds()) {
                return phase.rateAt(second - begin);
            }
            begin += phase.seconds();
        }
        return 0;
    }

    public double seconds() {
        return phases.stream().mapToDouble(Phase::seconds).sum();
    }

    /** The number of operations of all phases. */
    public double operations() {
        return phases.stream().mapToDouble(Phase::operations).sum();
    }

    /** The number of operations that are due up to a time. */
    public double operations(double second) {
        double sum = 0;
        double begin = 0;
        for (Phase phase : phases) {
            double within = Math.min(phase.seconds(), second - begin);
            if (within > 0) {
                sum += within * (phase.from() + phase.rateAt(within)) / 2;
            }
            begin += phase.seconds();
        }
        return sum;
    }

    /** Such as {@code 100/s for 10 s, then 200/s for 10 s}. */
    @Override
    public String toString() {
        return phases.stream()
                .map(phase -> phase.from() == phase.to()
                        ? text(phase.from()) + "/s for " + text(phase.seconds()) + " s"
                        : text(phase.from()) + "/s to " + text(phase.to()) + "/s in " + text(phase.seconds()) + " s")
                .collect(Collectors.joining(", then "));
    }

    /** With a digit after the point if it needs one. */
    public static String text(double number) {
        boolean isWhole = Math.abs(number - Math.rint(number)) < 0.05;
        return String.format(Locale.ROOT, isWhole ? "%,.0f" : "%,.1f", number);
    }
}
