package cleave.chaos.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PartitionsTest {
    @Test
    void recordsAreSpreadOverAllPartitions() {
        Partitions partitions = new Partitions(4);
        Set<String> used = new TreeSet<>();
        for (int i = 0; i < 100; i++) {
            used.add(partitions.partitionKey("user" + i));
        }

        assertThat(used).containsExactly("p000000", "p000001", "p000002", "p000003");
        assertThat(partitions.rowKey("user7")).isEqualTo("user7");
    }

    /** Other processes and later runs must find the records. */
    @Test
    void aRecordStaysInItsPartition() {
        assertThat(new Partitions(100).partitionKey("user6284781860667377211")).isEqualTo("p000001");
        assertThat(new Partitions(1).partitionKey("user6284781860667377211")).isEqualTo("p000000");
    }

    @Test
    void aScanStaysInThePartitionOfItsFirstRecord() {
        assertThat(new Partitions(1).filterFrom("it's")).isEqualTo("PartitionKey eq 'p000000' and RowKey ge 'it''s'");
    }

    @Test
    void eachRecordIsAPartitionOfItsOwn() {
        Partitions partitions = new Partitions(0);

        assertThat(partitions.partitionKey("user7")).isEqualTo("user7");
        assertThat(partitions.rowKey("user7")).isEmpty();
        assertThat(partitions.filterFrom("user7")).isEqualTo("PartitionKey ge 'user7'");
    }

    @Test
    void aNegativeNumberIsRefused() {
        assertThatThrownBy(() -> new Partitions(-1)).hasMessage("-1 partitions; it must be 0 to 1000000");
    }
}
