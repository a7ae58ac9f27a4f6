package cleave.server.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Throttle;
import cleave.model.table.Registry;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PartitionThrottleTest {
    private static final long SECOND = 1_000_000_000L;

    private final PartitionThrottle throttle = new PartitionThrottle(new Throttle(10));

    private static Key key(String partition, String row) {
        return Key.of(7, partition, row);
    }

    private int passing(String partition, long now) {
        int passed = 0;
        while (passed < 1_000 && throttle.admits(key(partition, "r" + passed), now)) {
            throttle.pay(key(partition, "r" + passed), 1, now);
            passed++;
        }
        return passed;
    }

    @Test
    void eachPartitionHasALimitOfItsOwn() {
        assertThat(passing("a", 0)).isEqualTo(10);
        assertThat(passing("b", 0)).isEqualTo(10);
        assertThat(passing("a", SECOND / 2)).isEqualTo(5);
    }

    @Test
    void aScanPaysEachPartitionWhatItExaminedThere() {
        PartitionCounts examined = Objects.requireNonNull(throttle.counting());
        for (String partition : new String[] {"a", "b"}) {
            for (int i = 0; i < (partition.equals("a") ? 4 : 7); i++) {
                examined.add(key(partition, "r" + i));
            }
        }
        throttle.payScan(Key.beforeTable(7), examined, 0);
        assertThat(passing("a", 0)).isEqualTo(6);
        assertThat(passing("b", 0)).isEqualTo(3);
    }

    @Test
    void aScanThatFindsNothingCostsThePartitionThatItBeginsInOneEntity() {
        throttle.payScan(Key.beforePartition(7, "a"), new PartitionCounts(), 0);
        assertThat(passing("a", 0)).isEqualTo(9);
    }

    @Test
    void aScanOfAPartitionMeetsItsLimit() {
        passing("a", 0);
        assertThat(throttle.admits(Key.beforePartition(7, "a"), 0)).isFalse();
        assertThat(throttle.admits(Key.beforePartition(7, "b"), 0)).isTrue();
    }

    @Test
    void theRegistryOfTablesIsFree() {
        Key table = Registry.key("account", "orders");
        throttle.pay(table, 1000, 0);
        assertThat(throttle.admits(table, 0)).isTrue();
    }

    @Test
    void whoPaysNothingAnyMoreIsForgottenAndMemoryHasABound() {
        for (int i = 0; i < 100_000; i++) {
            throttle.pay(key("p" + i, "r"), 100, i);
        }
        assertThat(throttle.remembered()).isEqualTo(16_384);
        assertThat(throttle.admits(key("p99999", "r"), 100_000)).isFalse();
        throttle.pay(key("last", "r"), 1, 100 * SECOND);
        assertThat(throttle.remembered()).isEqualTo(1);
    }

    @Test
    void offItRemembersNothing() {
        PartitionThrottle off = new PartitionThrottle(Throttle.OFF);
        off.pay(key("a", "r"), 1000, 0);
        assertThat(off.counting()).isNull();
        assertThat(off.admits(key("a", "r"), 0)).isTrue();
        assertThat(off.remembered()).isZero();
    }
}
