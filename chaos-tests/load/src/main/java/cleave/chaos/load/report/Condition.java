package cleave.chaos.load.report;

import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A limit of a figure, as in {@code p99 > 50ms}, {@code get p99.9 < 0.2s}, {@code errors > 0.1%} or {@code rate < 950}. Immutable and pure.
 *
 * @param action whose figure it is; null: that of all operations
 * @param isAbove whether it is true above the limit, or below it
 * @param includesLimit whether it is true at the limit, too
 * @param limit in milliseconds, operations per second, percent or a number
 * @param isShare whether errors are a share of all operations, in percent
 */
public record Condition(
        @Nullable Action action,
        Figure figure,
        boolean isAbove,
        boolean includesLimit,
        double limit,
        boolean isShare,
        String text) {
    private static final Pattern FORM =
            Pattern.compile("(?:([a-z-]+)\\s+)?([a-z][a-z0-9.]*)\\s*(<=|>=|<|>)\\s*(\\d+(?:\\.\\d+)?)\\s*(\\S*)");
    private static final double HUNDRED = 100;

    /**
     * A condition under which a load fails.
     *
     * @throws IllegalArgumentException if it is none, or if a better service would meet it; the message says what is right
     */
    public static Condition ofFailure(String text) {
        Condition condition = parse(text);
        if (condition.isAbove != condition.figure.isWorseAbove()) {
            throw new IllegalArgumentException(
                    "'" + text + "' would fail a load for being good; write '" + condition.turned() + "'");
        }
        return condition;
    }

    /**
     * A condition that a load keeps up to some rate.
     *
     * @throws IllegalArgumentException if it is none, or none that breaks at a higher rate; the message says what is right
     */
    public static Condition ofSuccess(String text) {
        Condition condition = parse(text);
        if (condition.figure == Figure.RATE || condition.figure == Figure.WRONG) {
            throw new IllegalArgumentException("'" + text + "' is of a figure that does not grow with the rate; give a"
                    + " latency or errors, such as 'p99 < 20ms'");
        }
        if (condition.isAbove) {
            throw new IllegalArgumentException(
                    "'" + text + "' is what a load must keep, so write '" + condition.turned() + "'");
        }
        return condition;
    }

    private static Condition parse(String typed) {
        String text = typed.strip().replaceAll("\\s+", " ");
        Matcher form = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            boolean isCut = !text.contains("<") && !text.contains(">");
            throw new IllegalArgumentException("'" + typed + "' is no condition; write [OPERATION] FIGURE > or < LIMIT,"
                    + " such as 'p99 > 50ms' or 'get errors > 0.1%'"
                    + (isCut ? ", in quotes, since a shell takes < and > for itself" : ""));
        }
        Figure figure = Figure.of(form.group(2))
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + typed + "': there is no figure '" + form.group(2) + "'; there are " + Figure.titles()));
        Action action = action(typed, form.group(1));
        if (action != null && figure == Figure.WRONG) {
            throw new IllegalArgumentException(
                    "'" + typed + "': wrong counts the entities of the whole table; leave '" + action.id() + "' out");
        }
        double scale = scale(typed, figure, form.group(5));
        double limit = Double.parseDouble(form.group(4)) * scale;
        boolean isShare = form.group(5).equals("%");
        if (isShare && limit > HUNDRED) {
            throw new IllegalArgumentException("'" + typed + "': there are never more errors than 100%");
        }
        return new Condition(
                action, figure, form.group(3).startsWith(">"), form.group(3).endsWith("="), limit, isShare, text);
    }

    private static @Nullable Action action(String typed, @Nullable String id) {
        if (id == null) {
            return null;
        }
        return Arrays.stream(Action.values())
                .filter(action -> action.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + typed + "': there is no operation '" + id
                        + "'; there are "
                        + Arrays.stream(Action.values()).map(Action::id).collect(Collectors.joining(", "))));
    }

    /** What the number of a limit is multiplied by. */
    private static double scale(String typed, Figure figure, String unit) {
        double scale = figure.isLatency()
                ? switch (unit) {
                    case "us" -> 1e-3;
                    case "ms" -> 1;
                    case "s" -> 1e3;
                    default -> 0;
                }
                : unit.isEmpty()
                                || (figure == Figure.ERRORS && unit.equals("%"))
                                || (figure == Figure.RATE && unit.equals("/s"))
                        ? 1
                        : 0;
        if (scale == 0) {
            throw new IllegalArgumentException("'" + typed + "': the limit of " + figure + " is " + figure.units()
                    + (unit.isEmpty() ? "" : ", not '" + unit + "'"));
        }
        return scale;
    }

    private String turned() {
        return text.replaceAll("[<>]", isAbove ? "<" : ">");
    }

    /** True if it limits the errors of all operations, so that it decides how many may fail. */
    public boolean limitsAllErrors() {
        return figure == Figure.ERRORS && action == null;
    }

    /** True if only a verification tells. */
    public boolean needsVerification() {
        return figure == Figure.WRONG;
    }

    /** How many operations of its kind a load needs, so that the figure is more than the chance of a few. */
    public double operationsNeeded() {
        return isShare && limit > 0 ? 10 * HUNDRED / limit : figure.operationsNeeded();
    }

    /** Judges a load that fails under this condition, or if the figure is unknown. */
    public Judgement failing(Summary summary) {
        return new Judgement(text, found(summary), !isKnown(summary) || isTrue(summary));
    }

    /** Judges a load that must keep this condition. */
    public Judgement keeping(Summary summary) {
        return new Judgement(text, found(summary), !isKnown(summary) || !isTrue(summary));
    }

    private OptionalDouble value(Summary summary) {
        OptionalDouble value = figure.in(summary, action);
        if (!isShare || value.isEmpty()) {
            return value;
        }
        Count count = action == null ? summary.total() : summary.counts().getOrDefault(action, Count.NONE);
        return OptionalDouble.of(HUNDRED * value.getAsDouble() / count.operations());
    }

    private boolean isTrue(Summary summary) {
        double value = value(summary).orElse(Double.NaN);
        return (includesLimit && Double.compare(value, limit) == 0) || (isAbove ? value > limit : value < limit);
    }

    /** False if there is no figure, or one of latency that lacks what was never sent. */
    private boolean isKnown(Summary summary) {
        return value(summary).isPresent() && (!figure.isLatency() || summary.isRateReached());
    }

    private String found(Summary summary) {
        String name = action == null ? figure.toString() : action.id() + " " + figure;
        String verb = figure == Figure.ERRORS ? " are " : " is ";
        OptionalDouble value = value(summary);
        if (value.isEmpty()) {
            return name + verb + "unknown, since "
                    + (figure == Figure.WRONG
                            ? "the table was not verified"
                            : figure == Figure.ERRORS ? "nothing was sent" : "nothing succeeded");
        }
        String number =
                isShare ? String.format(Locale.ROOT, "%.3f%%", value.getAsDouble()) : figure.text(value.getAsDouble());
        return name
                + verb
                + number
                + (isKnown(summary) ? "" : " without what was never sent, since the rate was not reached");
    }
}
