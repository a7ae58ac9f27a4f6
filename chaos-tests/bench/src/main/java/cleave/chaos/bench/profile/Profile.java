package cleave.chaos.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Samples of the threads that run Java code, counted by method and by part. Confined to its maker. */
final class Profile {
    private static final int METHODS_MAX = 20;

    private final Map<String, Long> methods = new HashMap<>();
    private final Map<Part, Long> innermost = new EnumMap<>(Part.class);
    private final Map<Part, Long> anywhere = new EnumMap<>(Part.class);
    private final Map<String, Part> parts = new HashMap<>();
    private long samples;

    /** Of the samples since a moment. */
    static Profile of(List<Path> recordings, Instant since) throws IOException {
        Profile profile = new Profile();
        for (Path recording : recordings) {
            try (RecordingFile events = new RecordingFile(recording)) {
                while (events.hasMoreEvents()) {
                    RecordedEvent event = events.readEvent();
                    RecordedStackTrace stack = event.getStackTrace();
                    if (Sampling.isSample(event)
                            && stack != null
                            && !event.getStartTime().isBefore(since)) {
                        profile.add(
                                stack.getFrames().stream().map(Profile::name).toList());
                    }
                }
            }
        }
        return profile;
    }

    /** Lambdas have numbers that differ from run to run. */
    private static String name(RecordedFrame frame) {
        RecordedMethod method = frame.getMethod();
        return method.getType().getName().replaceFirst("\\$\\$Lambda.*", "\\$\\$Lambda") + "." + method.getName();
    }

    /** @param stack methods with their classes, the innermost first */
    void add(List<String> stack) {
        if (stack.isEmpty()) {
            return;
        }
        samples++;
        methods.merge(stack.get(0), 1L, Long::sum);
        Part first = Part.OTHER;
        Set<Part> all = EnumSet.noneOf(Part.class);
        for (String frame : stack) {
            Part part = parts.computeIfAbsent(frame, Part::of);
            if (part != Part.OTHER) {
                first = first == Part.OTHER ? part : first;
                all.add(part);
            }
        }
        innermost.merge(first, 1L, Long::sum);
        if (all.isEmpty()) {
            all.add(Part.OTHER);
        }
        all.forEach(part -> anywhere.merge(part, 1L, Long::sum));
    }

    long samples() {
        return samples;
    }

    /** The share of samples whose innermost frame that belongs to a part belongs to this one. */
    double innermost(Part part) {
        return share(innermost.getOrDefault(part, 0L));
    }

    /** The share of samples with a frame of this part. */
    double anywhere(Part part) {
        return share(anywhere.getOrDefault(part, 0L));
    }

    private double share(long count) {
        return count / (double) Math.max(1, samples);
    }

    /** Tables, in Markdown. */
    String text() {
        StringBuilder text = new StringBuilder("| part | innermost | in the stack |\n|---|---|---|\n");
        for (Part part : Part.values()) {
            if (anywhere.containsKey(part)) {
                text.append(String.format(
                        Locale.ROOT,
                        "| %s | %.1f %% | %.1f %% |%n",
                        part.title(),
                        100 * innermost(part),
                        100 * anywhere(part)));
            }
        }
        text.append("\n| method | innermost |\n|---|---|\n");
        methods.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(METHODS_MAX)
                .forEach(method -> text.append(String.format(
                        Locale.ROOT, "| `%s` | %.1f %% |%n", method.getKey(), 100 * share(method.getValue()))));
        return text.toString();
    }
}
