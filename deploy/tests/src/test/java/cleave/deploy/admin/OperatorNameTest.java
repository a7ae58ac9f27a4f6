package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OperatorNameTest {
    @Test
    void itIsTheUserOnItsMachineUnlessTheEnvironmentSaysMore() {
        assertThat(OperatorName.of(Map.of(), "alice", "laptop")).isEqualTo("alice@laptop");
        assertThat(OperatorName.of(Map.of("SUDO_USER", "alice"), "root", "s1")).isEqualTo("alice as root@s1");
        assertThat(OperatorName.of(Map.of(OperatorName.VARIABLE, "on call: bob"), "root", "pod-7"))
                .isEqualTo("on call: bob");
    }
}
