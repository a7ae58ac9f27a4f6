package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.chaos.system.StandaloneSystem;
import cleave.client.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every lab in its smallest form: its claims hold. These are the labs that need no cluster; the others have classes of their own, so that
 * the JVMs of a build share the work.
 */
class LabsIT {
    private static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    @TempDir
    private Path blobs;

    /** Started for the first lab that needs it. */
    private static @Nullable ThrottledStandalone throttled;

    @AfterAll
    static void end() {
        if (throttled != null) {
            throttled.close();
        }
    }

    static Stream<Lab> thatNeed(Needs needs) {
        return Labs.all().stream().filter(lab -> lab.card().needs() == needs);
    }

    static Stream<Lab> ofAnEndpoint() {
        return thatNeed(Needs.ENDPOINT);
    }

    static Stream<Lab> ofThrottledPartitions() {
        return thatNeed(Needs.THROTTLED);
    }

    @ParameterizedTest
    @MethodSource("ofAnEndpoint")
    @ExtendWith(StandaloneSystem.class)
    void claimsHoldAtAnyEndpoint(Lab lab, Endpoint endpoint) {
        check(lab, LabSystem.of(endpoint), blobs);
    }

    @ParameterizedTest
    @MethodSource("ofThrottledPartitions")
    void claimsHoldOnThrottledPartitions(Lab lab) {
        if (throttled == null) {
            throttled = ThrottledStandalone.started(Folders.fresh("throttled"), JVM, Patience.ofSeconds(90));
        }
        check(lab, throttled.system(), blobs);
    }

    static void check(Lab lab, LabSystem system, Path blobs) {
        check(Session.run(lab, system, BlobStores.inFolder(blobs), true, line -> {}));
    }

    static void check(Report report) {
        assertThat(report.claims()).isNotEmpty().allMatch(Report.Claim::holds);
        assertThat(report.charts()).isNotEmpty();
        Page.of(report);
    }
}
