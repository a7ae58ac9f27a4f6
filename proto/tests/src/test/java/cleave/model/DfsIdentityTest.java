package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class DfsIdentityTest {
    private static final String ID = "11111111-2222-3333-4444-555555555555";
    private static final String ORIGIN = "99999999-2222-3333-4444-555555555555";
    private static final String FIRST = "88888888-2222-3333-4444-555555555555";
    private static final DfsIdentity COPY = DfsIdentity.ofCopy(ID, DfsIdentity.of(ORIGIN));
    private static final DfsIdentity COPY_OF_A_COPY =
            DfsIdentity.ofCopy(ID, DfsIdentity.ofCopy(ORIGIN, DfsIdentity.of(FIRST)));

    @Test
    void aLineIsReadAsItWasWritten() {
        DfsIdentity first = DfsIdentity.of(ID);
        assertThat(first.line()).isEqualTo("cleave dfs 1 " + ID + "\n");
        assertThat(COPY.line()).isEqualTo("cleave dfs 1 " + ID + " copy of " + ORIGIN + "\n");
        assertThat(COPY_OF_A_COPY.line())
                .isEqualTo("cleave dfs 2 " + ID + " copy of " + ORIGIN + " copy of " + FIRST + "\n");
        assertThat(DfsIdentity.ofLine(first.line())).isEqualTo(first);
        assertThat(DfsIdentity.ofLine(COPY.line())).isEqualTo(COPY);
        assertThat(DfsIdentity.ofLine(COPY_OF_A_COPY.line())).isEqualTo(COPY_OF_A_COPY);
    }

    @Test
    void aTruncatedLineIsNone() {
        for (String line : List.of(COPY.line(), COPY_OF_A_COPY.line())) {
            for (int length = 0; length < line.length(); length++) {
                assertThat(DfsIdentity.ofLine(line.substring(0, length))).isNull();
            }
        }
    }

    @Test
    void eachFormatSaysWhatTheOtherCannot() {
        assertThat(DfsIdentity.ofLine(COPY.line().replace("dfs 1", "dfs 2"))).isNull();
        assertThat(DfsIdentity.ofLine(COPY_OF_A_COPY.line().replace("dfs 2", "dfs 1")))
                .isNull();
    }

    @Test
    void ofManyCopiesTheNewestOriginsAreKnown() {
        DfsIdentity identity = DfsIdentity.of(id(0));
        for (int i = 1; i <= 20; i++) {
            identity = DfsIdentity.ofCopy(id(i), identity);
            assertThat(DfsIdentity.ofLine(identity.line())).isEqualTo(identity);
        }
        assertThat(identity.origins()).hasSize(16).startsWith(id(19), id(18)).endsWith(id(4));
    }

    private static String id(int number) {
        return "%08d-2222-3333-4444-555555555555".formatted(number);
    }

    @Test
    void aLineOfALaterFormatIsUnknown() {
        assertThatThrownBy(() -> DfsIdentity.ofLine("cleave dfs 3 something\n"))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("format 3");
    }

    @Test
    void whatIsNoIdIsRefused() {
        assertThatThrownBy(() -> DfsIdentity.of("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DfsIdentity(ID, List.of("x"))).isInstanceOf(IllegalArgumentException.class);
    }
}
