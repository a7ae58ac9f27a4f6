package cleave.deploy.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ZooKeeperMetricsTest {
    @Test
    void figuresAreMetricsAndTextIsLeftOut() {
        String answer = """
                zk_version\t3.9.5--1
                zk_server_state\tleader
                zk_avg_latency\t0.5
                zk_znode_count\t42
                zk_znode_count\t43
                zk_p99_readlatency\t1.0E-3
                zk_min\tNaN
                """;

        assertThat(ZooKeeperMetrics.families(answer))
                .extracting(family -> family.samples.get(0).name + " " + family.samples.get(0).value)
                .containsExactly(
                        "zookeeper_avg_latency 0.5", "zookeeper_znode_count 42.0", "zookeeper_p99_readlatency 0.001");
    }

    @Test
    void aServerThatSaysNothingHasNone() {
        assertThat(ZooKeeperMetrics.families("This ZooKeeper instance is not currently serving requests\n"))
                .isEmpty();
    }
}
