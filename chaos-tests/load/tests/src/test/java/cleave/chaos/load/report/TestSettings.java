package cleave.chaos.load.report;

import cleave.chaos.load.run.Schedule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Settings of loads of which a test cares for the schedule, and little else. */
public final class TestSettings {
    private TestSettings() {}

    public static Summary.Setting of(Schedule schedule) {
        return of("w", schedule, 8);
    }

    /** @param schedule null: a closed loop */
    static Summary.Setting of(String workload, @Nullable Schedule schedule, int clients) {
        return new Summary.Setting(
                Instant.EPOCH,
                "http://h:1/a",
                "T",
                workload,
                "100% get",
                schedule,
                clients,
                "none",
                1,
                new Provenance("cleave 1", 0.5, "cleave load", "1"));
    }
}
