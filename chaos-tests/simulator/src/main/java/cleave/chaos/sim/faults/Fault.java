package cleave.chaos.sim.faults;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One fault of a run: one that struck at a moment, or one that lasts from the first fault to the last. Immutable.
 *
 * @param nanos the virtual time; 0 for one that lasts
 * @param share of the messages or calls that one that lasts concerns, or 1; 0 for one that struck
 * @param dice the states of the generators by which it chose whom it struck, how hard and for how long; none for one that lasts
 * @param about whom it struck, for readers
 */
public record Fault(long nanos, FaultKind kind, double share, List<Long> dice, String about) {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final String LASTS = "lasts";
    private static final Pattern LASTING = Pattern.compile(LASTS + " (\\w+) ([0-9.E-]+)");
    private static final Pattern STRIKING =
            Pattern.compile("(\\d{1,9})\\.(\\d{9}) (\\w+) dice ([0-9a-f]{1,12}(?:,[0-9a-f]{1,12})*)(?: # (.*))?");

    public Fault {
        dice = List.copyOf(dice);
    }

    static Fault lasting(FaultKind kind, double share) {
        return new Fault(0, kind, share, List.of(), "");
    }

    public boolean lasts() {
        return share > 0;
    }

    /** Reads what {@link #line} wrote; anything else is an IllegalArgumentException. */
    public static Fault parse(String line) {
        Matcher lasting = LASTING.matcher(line);
        if (lasting.matches()) {
            return lasting(FaultKind.named(lasting.group(1)), Double.parseDouble(lasting.group(2)));
        }
        Matcher striking = STRIKING.matcher(line);
        if (!striking.matches()) {
            throw new IllegalArgumentException("this is no fault: " + line);
        }
        long nanos = Long.parseLong(striking.group(1)) * NANOS_PER_SECOND + Long.parseLong(striking.group(2));
        List<Long> dice = Arrays.stream(striking.group(4).split(","))
                .map(state -> Long.parseLong(state, 16))
                .toList();
        String about = striking.group(5);
        return new Fault(nanos, FaultKind.named(striking.group(3)), 0, dice, about == null ? "" : about);
    }

    /** The line of a file. */
    public String line() {
        if (lasts()) {
            return LASTS + " " + kind + " " + share;
        }
        String states = dice.stream().map(Long::toHexString).collect(Collectors.joining(","));
        return String.format(
                Locale.ROOT,
                "%d.%09d %s dice %s%s",
                nanos / NANOS_PER_SECOND,
                nanos % NANOS_PER_SECOND,
                kind,
                states,
                about.isEmpty() ? "" : " # " + about);
    }

    /** For readers. */
    @Override
    public String toString() {
        return lasts()
                ? String.format(Locale.ROOT, "throughout  %s, %.3f", kind, share)
                : String.format(Locale.ROOT, "%8.3f s  %s %s", nanos / 1e9, kind, about)
                        .stripTrailing();
    }
}
