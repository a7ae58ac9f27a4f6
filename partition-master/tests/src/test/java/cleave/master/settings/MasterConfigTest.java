package cleave.master.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MasterConfigTest {
    private static final String THREE =
            "m1=127.0.0.1:9871=127.0.0.1:10101,m2=127.0.0.1:9872=127.0.0.1:10102,m3=127.0.0.1:9873=127.0.0.1:10103";

    @Test
    void byDefaultAMasterIsAlone() {
        MasterConfig config = MasterConfig.from(new Settings(Map.of()));
        assertThat(config.peers()).hasSize(1);
        assertThat(config.peers().get(0).id()).isEqualTo("m1");
        assertThat(config.timing()).isEqualTo(MasterTiming.DEFAULT);
    }

    @Test
    void aMasterInsideTheProcessIsAloneToo() {
        MasterConfig config = MasterConfig.from(new Settings(Map.of("master.listen", "inproc:master")));
        assertThat(config.peers().get(0).rpc()).isEqualTo("inproc:master");
        assertThat(config.raftListen()).isEqualTo("127.0.0.1:0");
    }

    @Test
    void threeMastersAreNamedByAll() {
        MasterConfig config = MasterConfig.from(
                new Settings(Map.of("master.id", "m2", "master.peers", THREE, "master.raft-listen", "127.0.0.1:9872")));
        assertThat(config.peers()).extracting(MasterConfig.Peer::id).containsExactly("m1", "m2", "m3");
        assertThat(config.peers().get(2).raft()).isEqualTo("127.0.0.1:9873");
        assertThat(config.peers().get(2).rpc()).isEqualTo("127.0.0.1:10103");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "master.id | m9 | does not name",
                "master.raft-listen | 127.0.0.1:0 | port",
                "master.raft-listen | nowhere | host:port",
                "master.suspect | 500ms | three times",
                "master.stream-grace | 5s | must not exceed",
                "master.election-min | 3s | below",
                "master.election-min | 10ms | at least",
                "master.snapshot-every | 0 | whole number",
                "master.segment-bytes | 1 | at least",
                "master.ready | 1s | twice",
                "master.clock-skew | 99ms | at least 100ms",
                "master.tick | 0ms | above 0",
                "master.peers | m1=a:1 | id=",
                "master.peers | m1=a:1=b:1,m1=a:2=b:2,m3=c:3=d:3 | twice",
                "master.peers | m1=a:1=b:1,m2=a:2=b:2 | 1, 3 or 5",
                "master.peers | m1=0.0.0.0:9871=b:1 | setting master.peers has '0.0.0.0:9871', which is no address",
                "master.peers | m1=a:9871/m1=b:1 | 'a:9871/m1' is not host:port",
                "master.peers | m1=a:1=[::]:10101 | setting master.peers has '[::]:10101', which is no address",
            })
    void aSettingThatCannotBeRightStopsTheStart(String key, String value, String because) {
        Map<String, String> given =
                new HashMap<>(Map.of("master.id", "m1", "master.peers", THREE, "master.raft-listen", "127.0.0.1:9871"));
        given.put(key, value);
        assertThatThrownBy(() -> MasterConfig.from(new Settings(given)))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining(because);
    }

    @Test
    void aMasterListensOnAllAddressesAndIsKnownByOne() {
        MasterConfig config = MasterConfig.from(new Settings(Map.of(
                "master.listen",
                "0.0.0.0:10100",
                "master.raft-listen",
                "0.0.0.0:10101",
                "master.peers",
                "m1=node-7:10101=node-7:10100")));

        assertThat(config.raftListen()).isEqualTo("0.0.0.0:10101");
        assertThat(config.self().text()).isEqualTo("m1=node-7:10101=node-7:10100");
    }
}
