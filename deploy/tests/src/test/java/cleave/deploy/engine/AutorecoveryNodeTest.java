package cleave.deploy.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AutorecoveryNodeTest {
    @Test
    void waitsForABookieOfItsOwnCluster() {
        assertThat(AutorecoveryNode.hasBookie(List.of(), "/ledgers")).isFalse();
        assertThat(AutorecoveryNode.hasBookie(
                        List.of("/other/available/b-0123abcd", "/ledgers/underreplication/auditorelection/vote"),
                        "/ledgers"))
                .isFalse();
        assertThat(AutorecoveryNode.hasBookie(List.of("/ledgers/available/b-0123abcd"), "/ledgers"))
                .isTrue();
        assertThat(AutorecoveryNode.hasBookie(List.of("/ledgers/available/readonly/b-0123abcd"), "/ledgers"))
                .isTrue();
    }
}
