package cleave.deploy.inspect;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import cleave.model.Facts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The levels of loggers that an operator has changed while the process runs. Each returns to what was configured when its time is over.
 * Thread-safe.
 *
 * <p>A few libraries log by java.util.logging, which drops a line before Logback sees it. So its loggers get the same level.
 */
public final class LogLevels {
    /** The logger of operators' acts, which nobody turns off. */
    public static final String ACTS = "cleave.acts";

    public static final Duration LONGEST = Duration.ofHours(24);

    private static final int CHANGED_MAX = 32;
    private static final List<Level> LEVELS = List.of(Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$]+(\\.[A-Za-z0-9_$]+)*");
    private static final int NAME_MAX = 200;

    private final LoggerContext context;
    private final LongSupplier nanos;
    /** By the names of their loggers. */
    private final Map<String, Change> changes = new TreeMap<>();

    /**
     * A change in force.
     *
     * @param own the level that the logger had itself; null: that of its parents
     * @param jul kept here, because java.util.logging forgets loggers that nobody refers to
     */
    private record Change(
            Logger logger,
            Level to,
            @Nullable Level own,
            java.util.logging.Logger jul,
            java.util.logging.@Nullable Level julOwn,
            long untilNanos) {}

    /** @param nanos a monotonic clock */
    public LogLevels(LoggerContext context, LongSupplier nanos) {
        this.context = context;
        this.nanos = nanos;
    }

    /**
     * Changes the level of a logger for a time; a change that is in force already is replaced. IllegalArgumentException, for the operator, if
     * a value is wrong.
     *
     * @return what was done, for people
     */
    public synchronized String set(String logger, String level, Duration time) {
        Level to = level(level);
        String name = checked(logger);
        if (time.isNegative() || time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("the time is " + time.toSeconds() + " s but must be 1 s to "
                    + LONGEST.toHours() + " h: a level returns to what was configured");
        }
        Change before = changes.get(name);
        if (before == null && changes.size() >= CHANGED_MAX) {
            throw new IllegalArgumentException(
                    "the levels of " + CHANGED_MAX + " loggers are changed already: reset some");
        }
        boolean isKnown = context.exists(name) != null;
        Logger target = context.getLogger(name);
        java.util.logging.Logger jul = java.util.logging.Logger.getLogger(isRoot(name) ? "" : name);
        changes.put(
                name,
                before == null
                        ? new Change(target, to, target.getLevel(), jul, jul.getLevel(), until(time))
                        : new Change(target, to, before.own, jul, before.julOwn, until(time)));
        target.setLevel(to);
        jul.setLevel(jul(to));
        return name + " logs from " + to + " up for " + time.toSeconds() + " s"
                + (isKnown ? "" : "; nothing has logged under this name so far, so check its spelling");
    }

    /** Returns a logger to its configured level; IllegalArgumentException if it was not changed. */
    public synchronized String reset(String logger) {
        Change change = changes.remove(checked(logger));
        if (change == null) {
            throw new IllegalArgumentException("the level of " + logger + " is as it was configured");
        }
        restore(change);
        return text(change);
    }

    /** Returns those whose time is over to their configured levels; what was done, for people. */
    public synchronized List<String> expire() {
        long now = nanos.getAsLong();
        List<String> done = new ArrayList<>();
        changes.values().removeIf(change -> {
            boolean isOver = now - change.untilNanos >= 0;
            if (isOver) {
                restore(change);
                done.add(text(change));
            }
            return isOver;
        });
        return done;
    }

    /** The changes in force. */
    public synchronized List<Facts> changed() {
        long now = nanos.getAsLong();
        return changes.entrySet().stream()
                .map(each -> Facts.NONE
                        .and("logger", each.getKey())
                        .and("level", each.getValue().to.toString())
                        .and("configured", configured(each.getValue()))
                        .and(
                                "secondsLeft",
                                Math.max(
                                        0,
                                        Duration.ofNanos(each.getValue().untilNanos - now)
                                                .toSeconds())))
                .toList();
    }

    private long until(Duration time) {
        return nanos.getAsLong() + time.toNanos();
    }

    private static void restore(Change change) {
        Level own = change.own;
        change.logger.setLevel(own == null && isRoot(change.logger.getName()) ? Level.INFO : own);
        change.jul.setLevel(change.julOwn);
    }

    private static String text(Change change) {
        return change.logger.getName() + " logs from " + change.logger.getEffectiveLevel() + " up again, as configured";
    }

    private static String configured(Change change) {
        return change.own == null ? "as its parent" : change.own.toString();
    }

    private static Level level(String text) {
        return LEVELS.stream()
                .filter(each -> each.toString().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("the level is '" + text + "' but must be one of " + LEVELS));
    }

    private static String checked(String logger) {
        if (isRoot(logger)) {
            return org.slf4j.Logger.ROOT_LOGGER_NAME;
        }
        if (logger.length() > NAME_MAX || !NAME.matcher(logger).matches()) {
            throw new IllegalArgumentException("'" + logger.substring(0, Math.min(NAME_MAX, logger.length()))
                    + "' is no logger; write a package or class, such as cleave.master, or ROOT");
        }
        if (logger.equals(ACTS) || logger.startsWith(ACTS + ".")) {
            throw new IllegalArgumentException("the logger " + ACTS + " tells what operators do, and keeps its level");
        }
        return logger;
    }

    private static boolean isRoot(String logger) {
        return logger.equalsIgnoreCase(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    private static java.util.logging.Level jul(Level level) {
        return switch (level.toInt()) {
            case Level.TRACE_INT -> java.util.logging.Level.FINEST;
            case Level.DEBUG_INT -> java.util.logging.Level.FINE;
            case Level.INFO_INT -> java.util.logging.Level.INFO;
            case Level.WARN_INT -> java.util.logging.Level.WARNING;
            default -> java.util.logging.Level.SEVERE;
        };
    }
}
