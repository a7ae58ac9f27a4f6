package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.history.Call;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Get;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import org.junit.jupiter.api.Test;

class FaultScenesTest {
    private static final FaultScenes.Interval FAULT = new FaultScenes.Interval(100, 200);

    private static Get failed(long invoked, long returned) {
        return new Get(
                new Call(1, invoked, returned), new EntityKey("t", "p", "r"), Result.of(Outcome.UNKNOWN, "no answer"));
    }

    @Test
    void anErrorBelongsToTheFaultInWhichItsRequestBegan() {
        assertThat(FAULT.holdsError(failed(110, 190))).isTrue();
        assertThat(FAULT.holdsError(failed(110, 30_000))).as("it hung").isTrue();
        assertThat(FAULT.holdsError(failed(90, 190))).isFalse();
        assertThat(FAULT.holdsError(failed(210, 220))).isFalse();
    }
}
