package cleave.deploy.role;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;

/**
 * Shortens what libraries warn of again and again while a process is away or ends, which is nothing unusual: to one line without a stack, at most
 * once a minute for each text. What comes meanwhile is counted, and the next line tells how often. A logger whose level is DEBUG is left alone.
 * Thread-safe; named in logback.xml.
 */
public final class LibraryNoise extends TurboFilter {
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** The numbers of channels, sessions and ports, and what follows the number of an append, by which lines differ that tell the same. */
    private static final Pattern NUMBERS =
            Pattern.compile("<\\d+>|0x[0-9a-f]+|:\\d+\\b|#\\d+-t\\d+,.*?(?= cause=|: org\\.|$)");
    /** Texts that are remembered; the oldest is forgotten first. */
    private static final int TEXTS_MAX = 200;

    /** What is noise: a part of a logger's name, of its text, and of what was thrown; empty: any. */
    private record Noise(String logger, String text, String thrown) {
        boolean isTold(String name, String format) {
            return name.contains(logger) && format.contains(text);
        }

        boolean isThrown(@Nullable Throwable cause) {
            return thrown.isEmpty() || (cause != null && cause.toString().contains(thrown));
        }
    }

    private static final List<Noise> NOISE = List.of(
            // Each channel to a pod that has no address tells it at each attempt, with the stack of the resolver. Ratis
            // has a gRPC of its own.
            new Noise("io.grpc.internal.ManagedChannelImpl", "Failed to resolve name", ""),
            // A master that ends refuses what the leader still sends it, many times a second, until its port is closed.
            new Noise("org.apache.ratis.server.RaftServer", "Failed appendEntries", "current state is CLOS"),
            new Noise("org.apache.ratis.grpc.server.GrpcServerProtocolService", "current state is CLOS", ""),
            // Servers of ZooKeeper that start look for each other, and so do their clients.
            new Noise("org.apache.zookeeper.", "", ""));

    private static final class Repetition {
        private long silentUntil;
        private long count;
    }

    private final LongSupplier nanos;
    private final Map<String, Repetition> repetitions = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Repetition> eldest) {
            return size() > TEXTS_MAX;
        }
    };

    /** For logback. */
    public LibraryNoise() {
        this(System::nanoTime);
    }

    LibraryNoise(LongSupplier nanos) {
        this.nanos = nanos;
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] parameters,
            @Nullable Throwable thrown) {
        if (level.levelInt < Level.WARN_INT || format == null) {
            return FilterReply.NEUTRAL; // Without a text, it is only asked whether the level is on.
        }
        int own = logger.getEffectiveLevel().levelInt;
        List<Noise> noises = NOISE.stream()
                .filter(noise -> noise.isTold(logger.getName(), format))
                .toList();
        if (own > level.levelInt || own <= Level.DEBUG_INT || noises.isEmpty()) {
            return FilterReply.NEUTRAL;
        }
        FormattingTuple told = thrown == null
                ? MessageFormatter.arrayFormat(format, parameters)
                : MessageFormatter.arrayFormat(format, parameters, thrown);
        if (noises.stream().noneMatch(noise -> noise.isThrown(told.getThrowable()))) {
            return FilterReply.NEUTRAL;
        }
        String text = firstLine(String.valueOf(told.getMessage())) + causes(told.getThrowable());
        long suppressed = count(logger.getName() + " " + NUMBERS.matcher(text).replaceAll(""));
        if (suppressed >= 0) {
            String line = suppressed == 0 ? text : text + " repeated=" + suppressed;
            logger.callAppenders(new LoggingEvent(Logger.class.getName(), logger, level, line, null, null));
        }
        return FilterReply.DENY;
    }

    private static String causes(@Nullable Throwable thrown) {
        StringBuilder causes = new StringBuilder();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            causes.append(each == thrown ? " cause=" : ": ").append(firstLine(each.toString()));
        }
        return causes.toString();
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }

    /** How often this text was suppressed since it was logged last; -1 if it is to be suppressed now. */
    private long count(String text) {
        synchronized (repetitions) {
            long now = nanos.getAsLong();
            Repetition its = repetitions.computeIfAbsent(text, any -> {
                Repetition first = new Repetition();
                first.silentUntil = now;
                return first;
            });
            if (now - its.silentUntil < 0) {
                its.count++;
                return -1;
            }
            long suppressed = its.count;
            its.count = 0;
            its.silentUntil = now + PAUSE_NANOS;
            return suppressed;
        }
    }
}
