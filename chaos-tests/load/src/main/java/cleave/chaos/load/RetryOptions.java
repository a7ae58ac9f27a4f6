package cleave.chaos.load;

import cleave.client.RetryPolicy;
import cleave.client.RetryPolicy.Strategy;
import cleave.deploy.CommandFailure;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** The options that say what becomes of requests that failed. Confined to the command's thread. */
final class RetryOptions {
    private static final Pattern FACTORS = Pattern.compile("(\\d+(?:\\.\\d+)?)\\.\\.(\\d+(?:\\.\\d+)?)");

    @Option(
            names = "--retry",
            paramLabel = "STRATEGY",
            description =
                    "none, fixed or exponential: whether operations are sent again after 500, 503, 504 and time-outs"
                            + " (default: none)")
    private String strategy = Strategy.NONE.id();

    @Option(names = "--retries", paramLabel = "N", description = "the most retries of one operation (default: 3)")
    private int retries = 3;

    @Option(names = "--retry-z", paramLabel = "SECONDS", description = "the default wait (default: 30)")
    private double z = 30;

    @Option(names = "--retry-z-min", paramLabel = "SECONDS", description = "the least wait of exponential (default: 3)")
    private double zMin = 3;

    @Option(
            names = "--retry-z-max",
            paramLabel = "SECONDS",
            description = "the longest wait of exponential (default: 90)")
    private double zMax = 90;

    @Option(
            names = "--retry-factor",
            paramLabel = "LOW..HIGH",
            description = "by which chance multiplies the default wait in exponential (default: 0.8..1.2)")
    private String factor = "0.8..1.2";

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "patience for one answer (default: 30); --verify repeats a read for twice as long")
    private double timeout = 30;

    RetryPolicy policy() {
        Matcher factors = FACTORS.matcher(factor);
        if (!factors.matches()) {
            throw CommandFailure.usage(
                    "--retry-factor '" + factor + "' is no interval; write LOW..HIGH, such as 0.8..1.2");
        }
        try {
            return new RetryPolicy(
                    strategy(),
                    retries,
                    z,
                    zMin,
                    zMax,
                    Double.parseDouble(factors.group(1)),
                    Double.parseDouble(factors.group(2)));
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage("--retry: " + wrong.getMessage());
        }
    }

    private Strategy strategy() {
        return Arrays.stream(Strategy.values())
                .filter(each -> each.id().equals(strategy))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + strategy + "' is no strategy; give none, fixed or exponential"));
    }

    Duration patience() {
        if (timeout < 0.001) {
            throw CommandFailure.usage("--timeout must be at least 0.001 seconds");
        }
        return Duration.ofMillis((long) (timeout * 1000));
    }
}
