package cleave.chaos.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Maps values to a share of the length of an axis. Immutable.
 *
 * @param from the value at share 0; of a logarithmic axis above 0
 * @param to the value at share 1
 * @param ticks round values from {@code from} to {@code to}, ascending
 */
public record Axis(double from, double to, List<Double> ticks, boolean logarithmic) {
    private static final double MILLION = 1e6;

    public Axis {
        ticks = List.copyOf(ticks);
    }

    /** From 0, or from a round value below the least one if that is negative or far from 0, to a round value above the greatest. */
    public static Axis linear(double least, double greatest, int intervals) {
        return linear(least, greatest, intervals, 0);
    }

    /** The same with whole numbers alone: there is no half of a server. */
    public static Axis whole(double least, double greatest, int intervals) {
        return linear(least, greatest, intervals, 1);
    }

    private static Axis linear(double least, double greatest, int intervals, double stepMin) {
        double low = least < 0 || (least > greatest / 2 && least < greatest) ? least : 0;
        double step = Math.max(stepMin, step(Math.max(greatest - low, Double.MIN_NORMAL) / intervals));
        List<Double> ticks = new ArrayList<>();
        long first = (long) Math.floor(low / step);
        long last = Math.max(first + 1, (long) Math.ceil(greatest / step));
        for (long i = first; i <= last; i++) {
            ticks.add(i * step);
        }
        return new Axis(first * step, last * step, ticks, false);
    }

    /** Decades, and something below the least value, so that it has a bar, too; values below that, such as 0, are drawn at the beginning. */
    public static Axis logarithmic(double least, double greatest) {
        int first = (int) Math.floor(Math.log10(least));
        int last = Math.max(first + 1, (int) Math.ceil(Math.log10(greatest)));
        List<Double> ticks = new ArrayList<>();
        for (int i = first; i <= last; i++) {
            ticks.add(Math.pow(10, i));
        }
        return new Axis(Math.min(Math.pow(10, first), least / 2), Math.pow(10, last), ticks, true);
    }

    /** The same from one value to another, with what is round between them. */
    Axis within(double least, double greatest) {
        return new Axis(
                least,
                greatest,
                ticks.stream().filter(tick -> tick >= least && tick <= greatest).toList(),
                logarithmic);
    }

    /** The next of 1, 2 and 5 times a power of ten. */
    private static double step(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (int times : new int[] {1, 2, 5}) {
            if (times * power >= least) {
                return times * power;
            }
        }
        return 10 * power;
    }

    public double share(double value) {
        double inside = Math.max(from, Math.min(to, value));
        return logarithmic ? Math.log10(inside / from) / Math.log10(to / from) : (inside - from) / (to - from);
    }

    /** A value beside an axis, where there is little room. */
    static String tick(double value) {
        return value >= MILLION ? text(value / MILLION) + " M" : text(value);
    }

    /** A value as people write it, without needless decimals. */
    public static String text(double value) {
        if (value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        String text = String.format(Locale.ROOT, value < 1 ? "%.3f" : "%,.1f", value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }
}
