package cleave.chaos.load;

import cleave.chaos.load.run.Schedule;
import cleave.deploy.CommandFailure;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how fast and how long. Confined to the command's thread. */
final class PaceOptions {
    private static final Pattern RAMP = Pattern.compile("(\\d+(?:\\.\\d+)?)\\.\\.(\\d+(?:\\.\\d+)?)");

    private static final double SECONDS = 10;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "the most requests in flight (default: 16 in a closed loop, 128 in an open one)")
    private int connections;

    @Option(names = "--seconds", paramLabel = "N", description = "duration (default: 10)")
    private @Nullable Double seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description =
                    "the same load before the clock starts, which is not measured: at the first rate, and at least a"
                            + " tenth of the highest; 0 for none (default: 5)")
    private double warmUp = 5;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "open loop: N operations a second, however long answers take (default: closed loop, in which each"
                            + " connection waits for its answer)")
    private @Nullable Double rate;

    @Option(names = "--ramp", paramLabel = "FROM..TO", description = "open loop whose rate changes evenly")
    private @Nullable String ramp;

    @Option(
            names = "--steps",
            paramLabel = "N,...",
            split = ",",
            hideParamSyntax = true,
            description = "open loop of one rate after the other")
    private List<Double> steps = List.of();

    @Option(names = "--step-seconds", paramLabel = "N", description = "duration of each step (default: 10)")
    private double stepSeconds = 10;

    /** Begins a search at this rate, or at --rate. */
    void search(double first) {
        if (ramp != null || !steps.isEmpty() || seconds != null) {
            throw CommandFailure.usage(
                    "--find-rate chooses the rates; leave --steps, --ramp and --seconds out, and give --rate to begin at"
                            + " and --step-seconds");
        }
        rate = rate == null ? Double.valueOf(first) : rate;
        seconds = stepSeconds;
    }

    double firstRate() {
        return rate == null ? 0 : rate;
    }

    double stepSeconds() {
        return stepSeconds;
    }

    /** Null for a closed loop. */
    @Nullable
    Schedule schedule() {
        int given = (rate == null ? 0 : 1) + (ramp == null ? 0 : 1) + (steps.isEmpty() ? 0 : 1);
        if (given > 1) {
            throw CommandFailure.usage("--rate, --ramp and --steps exclude each other; give one of them");
        }
        if (length() <= 0 || stepSeconds <= 0) {
            throw CommandFailure.usage("--seconds and --step-seconds must be above 0");
        }
        if (warmUp < 0) {
            throw CommandFailure.usage("--warm-up must not be below 0");
        }
        if ((rate != null && rate <= 0) || steps.stream().anyMatch(step -> step <= 0)) {
            throw CommandFailure.usage("--rate and --steps are operations per second and must be above 0");
        }
        if (rate != null) {
            return Schedule.constant(rate, length());
        }
        if (ramp != null) {
            return ramp(ramp);
        }
        return steps.isEmpty() ? null : Schedule.steps(steps, stepSeconds);
    }

    private Schedule ramp(String text) {
        Matcher matcher = RAMP.matcher(text);
        if (!matcher.matches() || Double.parseDouble(matcher.group(1)) + Double.parseDouble(matcher.group(2)) <= 0) {
            throw CommandFailure.usage(
                    "--ramp '" + text + "' is no ramp; write FROM..TO in operations per second, such as 100..2000");
        }
        return Schedule.ramp(Double.parseDouble(matcher.group(1)), Double.parseDouble(matcher.group(2)), length());
    }

    double seconds() {
        Schedule schedule = schedule();
        return schedule == null ? length() : schedule.seconds();
    }

    private double length() {
        return seconds == null ? SECONDS : seconds;
    }

    double warmUpSeconds() {
        return warmUp;
    }

    int connections() {
        if (connections < 0) {
            throw CommandFailure.usage("--connections must be at least 1");
        }
        return connections > 0 ? connections : schedule() == null ? 16 : 128;
    }
}
