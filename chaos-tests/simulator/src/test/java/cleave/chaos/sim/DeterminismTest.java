package cleave.chaos.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import cleave.chaos.sim.bugs.Bug;
import cleave.deploy.role.Logs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A seed replays to the same event, wherever: all that its trace tells is the same to the byte. {@code -Dsim.java=HOME} names the
 * other Java to compare with; without it, one of another version is looked for where systems keep them.
 */
class DeterminismTest {
    private static final String MARK = "trace of seed ";
    private static final String[] SEEDS = {"1"};
    private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)");

    @Test
    void aSeedGivesTheSameTraceInEachRun() {
        List<String> first = new ArrayList<>();
        List<String> again = new ArrayList<>();
        Simulation.run(7, Bug.NONE, first::add);
        Simulation.run(7, Bug.NONE, again::add);

        assertThat(first.size()).isGreaterThan(1_000);
        assertThat(Arrays.mismatch(first.toArray(), again.toArray()))
                .as("the first line that differs")
                .isEqualTo(-1);
    }

    @Test
    void neitherAListenerNorAFilmChangesARun() {
        Simulation.Report run = Simulation.run(4);

        assertThat(run.traceHash()).isNotEqualTo(Simulation.run(5).traceHash());
        assertThat(Simulation.run(4, Bug.NONE, line -> {})).isEqualTo(run);
        assertThat(Simulation.film(4, Simulation.Options.DEFAULT).report()).isEqualTo(run);
    }

    @Test
    void aSeedGivesTheSameTraceOnAnotherJavaAndInAnotherLocale() throws Exception {
        Optional<Path> other = otherJava();
        assumeTrue(other.isPresent(), "there is only one Java here; -Dsim.java=HOME names another");
        List<String> command = new ArrayList<>(List.of(
                other.orElseThrow().resolve("bin/java").toString(),
                "-XX:TieredStopAtLevel=1", // It ends before C2 has paid for itself.
                "-XX:+UseSerialGC",
                "-Duser.language=ar",
                "-Duser.country=EG",
                "-Duser.timezone=Asia/Kathmandu",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=3", // Identity hashes are counted, not thrown.
                "-cp",
                System.getProperty("java.class.path"),
                DeterminismTest.class.getName()));
        command.addAll(List.of(SEEDS));

        assertThat(digestsOf(command)).isEqualTo(digests(SEEDS));
    }

    /** Prints the digest of each seed's trace. */
    public static void main(String[] seeds) {
        Logs.onlyErrors();
        digests(seeds).forEach(System.out::println);
    }

    private static List<String> digests(String[] seeds) {
        return Stream.of(seeds)
                .map(seed -> MARK + seed + " " + digest(Long.parseLong(seed)))
                .toList();
    }

    private static String digest(long seed) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            Simulation.Report report =
                    Simulation.run(seed, Bug.NONE, line -> digest.update((line + "\n").getBytes(UTF_8)));
            digest.update(report.toString().getBytes(UTF_8));
            return HexFormat.of().formatHex(digest.digest());
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static List<String> digestsOf(List<String> command) throws IOException, InterruptedException {
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        String told = new String(child.getInputStream().readAllBytes(), UTF_8);
        assertThat(child.waitFor()).as(told).isZero();
        return told.lines().filter(line -> line.startsWith(MARK)).toList();
    }

    private static Optional<Path> otherJava() throws IOException {
        String named = System.getProperty("sim.java");
        if (named != null) {
            return Optional.of(Path.of(named));
        }
        for (String place : List.of("/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines")) {
            for (Path home : homesIn(Path.of(place))) {
                int version = version(home);
                if (version >= 17 && version != Runtime.version().feature()) {
                    return Optional.of(home);
                }
            }
        }
        return Optional.empty();
    }

    private static List<Path> homesIn(Path place) throws IOException {
        if (!Files.isDirectory(place)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(place)) {
            return found.map(each ->
                            Files.isDirectory(each.resolve("Contents/Home")) ? each.resolve("Contents/Home") : each)
                    .sorted()
                    .toList();
        }
    }

    /** Zero if there is no Java. */
    private static int version(Path home) throws IOException {
        Path release = home.resolve("release");
        if (!Files.isReadable(release) || !Files.isExecutable(home.resolve("bin/java"))) {
            return 0;
        }
        Matcher version = VERSION.matcher(Files.readString(release, UTF_8));
        return version.find() ? Integer.parseInt(version.group(1)) : 0;
    }
}
