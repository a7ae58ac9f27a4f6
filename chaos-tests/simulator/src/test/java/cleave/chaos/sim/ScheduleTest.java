package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.faults.Fault;
import cleave.chaos.sim.faults.FaultKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScheduleTest {
    @TempDir
    private Path dir;

    @Test
    void aListOfAllFaultsRepeatsTheRunThatDrewThem() {
        Simulation.Options options = new Simulation.Options(Bug.NONE, null);
        Simulation.Scheduled drawn = Simulation.schedule(3, options);
        assertThat(drawn.schedule().faults()).hasSizeGreaterThan(50);

        Simulation.Scheduled repeated = Simulation.schedule(3, options.with(drawn.schedule()));

        assertThat(repeated.schedule()).isEqualTo(drawn.schedule());
        assertThat(repeated.report().operations()).isEqualTo(drawn.report().operations());
        assertThat(repeated.report().traceHash()).isEqualTo(drawn.report().traceHash());
    }

    @Test
    void withoutItsFaultsARunHasNone() {
        Simulation.Options options = new Simulation.Options(Bug.NONE, null);
        Schedule none = new Schedule(0, new TreeSet<>(List.of(2)), false, 5_000_000_000L, List.of());

        Simulation.Report report = Simulation.run(3, options.with(none), null);

        assertThat(report.isRight()).isTrue();
        assertThat(report.virtualSeconds()).isLessThan(60);
        assertThat(report.counts().keySet())
                .noneMatch(count -> count.startsWith("restarts of") || count.startsWith("tables dropped"));
    }

    @Test
    void aFileHasAllThatTheRunNeeds() throws IOException {
        List<Fault> faults = List.of(
                new Fault(0, FaultKind.SLOW_SYNCS, 0.1234567890123, List.of(), ""),
                new Fault(12_000_000_001L, FaultKind.PAUSE, 0, List.of(0L, (1L << 48) - 1, 17L), "s2"),
                new Fault(13_500_000_000L, FaultKind.CANCEL, 0, List.of(5L), ""));
        Schedule schedule = new Schedule(3, new TreeSet<>(List.of(1, 8)), true, 14_000_000_007L, faults);
        Schedule.Kept kept = new Schedule.Kept(42, Bug.SEAL_SKIPPED, new TreeSet<>(List.of(FaultKind.PAUSE)), schedule);
        Path file = dir.resolve("short.faults");

        kept.write(file);

        assertThat(Schedule.Kept.read(file)).isEqualTo(kept);
        assertThat(Files.readString(file)).contains("12.000000001 PAUSE dice 0,ffffffffffff,11 # s2");
        assertThat(schedule.told().get(1)).isEqualTo("    12.000 s  PAUSE s2");
    }

    @Test
    void aLineThatIsNoneIsNamed() throws IOException {
        Path file = dir.resolve("wrong.faults");
        for (String wrong :
                List.of("12.5 PAUSE", "lasts EARTHQUAKE 1", "seed one", "bug NO_BUG", "clients 1,x", "until soon")) {
            Files.write(file, List.of("# comment", wrong));
            assertThatThrownBy(() -> Schedule.Kept.read(file)).as(wrong).hasMessageStartingWith("line 2: ");
        }
        Files.write(file, List.of("seed 1", "clients 1,9", "until 10.0"));
        assertThatThrownBy(() -> Schedule.Kept.read(file)).hasMessageContaining("a client that there is not");
    }
}
