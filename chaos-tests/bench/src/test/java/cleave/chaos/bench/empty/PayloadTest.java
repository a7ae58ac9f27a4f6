package cleave.chaos.bench.empty;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.Workloads;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Planner;
import cleave.chaos.load.workload.Workload;
import org.junit.jupiter.api.Test;

class PayloadTest {
    @Test
    void itIsAsLongAsWhatTheComparedWorkloadsSend() {
        for (String name : new String[] {"get", "insert", "merge"}) {
            Workload workload = Workloads.of(name);
            EntityKey key = Planner.loadedKey(workload, 42);

            assertThat(workload.shape().entityBytes()).isEqualTo(Payload.ENTITY_BYTES);
            assertThat(key.partition()).hasSameSizeAs(Payload.SAMPLE.partition());
            assertThat(key.row()).hasSameSizeAs(Payload.SAMPLE.row());
        }
    }
}
