package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ClusterIdentityTest {
    private static final ClusterIdentity IDENTITY =
            new ClusterIdentity(new ClusterId("11111111-2222-3333-4444-555555555555"), "m1");

    @Test
    void aLineIsReadAsItWasWritten() {
        assertThat(ClusterIdentity.ofLine(IDENTITY.line())).isEqualTo(IDENTITY);
        assertThat(IDENTITY.line()).isEqualTo("cleave cluster 1 11111111-2222-3333-4444-555555555555 founded by m1\n");
    }

    @Test
    void aLineThatWasCutOffIsNone() {
        for (int length = 0; length < IDENTITY.line().length(); length++) {
            assertThat(ClusterIdentity.ofLine(IDENTITY.line().substring(0, length)))
                    .isNull();
        }
    }

    @Test
    void aLineOfALaterVersionIsNotTakenForNothing() {
        assertThatThrownBy(() -> ClusterIdentity.ofLine("cleave cluster 2 something else\n"))
                .isInstanceOf(Damaged.class)
                .hasMessageContaining("format 2");
    }

    @Test
    void whatIsNoIdIsRefused() {
        assertThatThrownBy(() -> new ClusterId("mine")).hasMessageContaining("'mine' is not a cluster id");
        assertThatThrownBy(() -> new ClusterIdentity(IDENTITY.cluster(), "a b")).hasMessageContaining("'a b'");
    }
}
