package cleave.chaos.balance;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.system.Folders;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The balancer on real processes, with thresholds so low that a little load is too much. No time is asserted. */
@Tag("nightly")
class BalanceIT {
    private static final Map<String, String> LOW = Map.of(
            "balancer.split-load", "300",
            "balancer.split-child", "100%",
            "balancer.split-hits", "20",
            "balancer.split-hot-seconds", "1",
            "balancer.split-window-seconds", "2");
    private static final Map<String, String> SOON = Map.of(
            "balancer.merge-window", "2s",
            "balancer.merge-after-split", "2s",
            "balancer.merge-after-start", "2s");

    @Test
    void aLoadIsSpreadOverAllServersAndItsRangesMergeWhenItIsOverAndNoClientSeesAnError() throws IOException {
        SpreadTrial.Shape shape = new SpreadTrial.Shape(new LoadShape(900, 1, 0, 0, 1), LOW, SOON);
        try (Trial trial = Trial.started(Trial.plan(Folders.fresh("balance")), line -> {})) {
            Report report = new SpreadTrial(trial, shape).run();

            assertThat(report.errors()).isEmpty();
            assertThat(report.moments()).anyMatch(moment -> moment.owners() == 3 && moment.ranges() >= 3);
            assertThat(report.moments().get(report.moments().size() - 1).ranges())
                    .isEqualTo(1);
        }
    }
}
