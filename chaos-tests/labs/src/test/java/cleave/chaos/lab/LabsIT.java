package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.chaos.system.StandaloneSystem;
import cleave.client.Endpoint;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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

    /** Each is started for the first lab that needs it. */
    private static final Map<Needs, SpecialStandalone> SPECIAL = new EnumMap<>(Needs.class);

    @AfterAll
    static void end() {
        SPECIAL.values().forEach(SpecialStandalone::close);
    }

    static Stream<Lab> thatNeed(Needs needs) {
        return Labs.all().stream().filter(lab -> lab.card().needs() == needs);
    }

    static Stream<Lab> ofAnEndpoint() {
        return thatNeed(Needs.ENDPOINT);
    }

    static Stream<Lab> ofSpecialProcesses() {
        return Stream.concat(thatNeed(Needs.THROTTLED), thatNeed(Needs.TWO_ACCOUNTS));
    }

    @ParameterizedTest
    @MethodSource("ofAnEndpoint")
    @ExtendWith(StandaloneSystem.class)
    void claimsHoldAtAnyEndpoint(Lab lab, Endpoint endpoint) {
        check(lab, LabSystem.of(endpoint), blobs);
    }

    @ParameterizedTest
    @MethodSource("ofSpecialProcesses")
    void claimsHoldOnASpecialProcess(Lab lab) {
        SpecialStandalone special = SPECIAL.computeIfAbsent(
                lab.card().needs(),
                needs -> SpecialStandalone.started(needs, Folders.fresh(needs.name()), JVM, Patience.ofSeconds(90)));
        check(lab, special.system(), blobs);
    }

    static void check(Lab lab, LabSystem system, Path blobs) {
        check(LabRun.run(lab, system, BlobStores.inFolder(blobs), true, line -> {}));
    }

    static void check(Report report) {
        assertThat(report.claims()).isNotEmpty().allMatch(Report.Claim::holds);
        assertThat(report.parts()).isNotEmpty();
        Page.of(report);
    }
}
