package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DfsIdentityTest {
    private static final String ID = "11111111-2222-3333-4444-555555555555";
    private static final String ORIGIN = "99999999-2222-3333-4444-555555555555";

    @Test
    void aLineIsReadAsItWasWritten() {
        DfsIdentity first = DfsIdentity.of(ID);
        DfsIdentity copy = new DfsIdentity(ID, ORIGIN);
        assertThat(first.line()).isEqualTo("cleave dfs 1 " + ID + "\n");
        assertThat(copy.line()).isEqualTo("cleave dfs 1 " + ID + " copy of " + ORIGIN + "\n");
        assertThat(DfsIdentity.ofLine(first.line())).isEqualTo(first);
        assertThat(DfsIdentity.ofLine(copy.line())).isEqualTo(copy);
    }

    @Test
    void aTruncatedLineIsNone() {
        String line = new DfsIdentity(ID, ORIGIN).line();
        for (int length = 0; length < line.length(); length++) {
            assertThat(DfsIdentity.ofLine(line.substring(0, length))).isNull();
        }
    }

    @Test
    void aLineOfALaterFormatIsUnknown() {
        assertThatThrownBy(() -> DfsIdentity.ofLine("cleave dfs 2 something\n"))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("format 2");
    }

    @Test
    void whatIsNoIdIsRefused() {
        assertThatThrownBy(() -> DfsIdentity.of("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DfsIdentity(ID, "x")).isInstanceOf(IllegalArgumentException.class);
    }
}
