package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.settings.MasterConfig;
import cleave.runtime.settings.Settings;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RaftPartTest {
    private static final MasterConfig CONFIG = MasterConfig.from(new Settings(
            Map.of("master.raft-listen", "0.0.0.0:10101", "master.peers", "m1=node-7:10101=node-7:10100")));

    @ParameterizedTest
    @CsvSource({
        "node-6:10101, node-6:10101",
        "node-7:40001, node-7:10101",
        "0.0.0.0:10101, node-7:10101",
        "[::]:10101, node-7:10101"
    })
    void theOnlyMemberIsFoundWhereItsSettingsPlaceItIfItsLogNamesNoUsableAddress(String recorded, String known) {
        assertThat(RaftPart.ownRaft(CONFIG, recorded)).isEqualTo(known);
    }
}
