package cleave.dfs.bookkeeper.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name.Kind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class NameTest {
    @Test
    void everyNameIsReadBack() {
        for (Kind kind : Kind.values()) {
            if (kind != Kind.ABSENT) {
                assertThat(Name.parse(new Name(kind, 4711, 3).data(), 3)).isEqualTo(new Name(kind, 4711, 3));
                assertThat(Name.parse(new Name(kind, Name.NO_LEDGER, 3).data(), 3))
                        .isEqualTo(new Name(kind, Name.NO_LEDGER, 3));
            }
        }
        assertThat(new String(Name.written(12).data(), StandardCharsets.UTF_8)).isEqualTo("W12");
        assertThat(new Name(Kind.DELETED_FENCED, 12, 0).data()).isEqualTo("F12".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void strangersDataAreRefused() {
        for (String data : new String[] {"", "-", "X12", "W12x"}) {
            assertThatThrownBy(() -> Name.parse(data.getBytes(StandardCharsets.UTF_8), 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void anAppendFailsForWhatItsNameTells() {
        assertThat(AppendVerdict.of(null, Name.written(5), 5)).isEqualTo(Reason.BROKEN);
        assertThat(AppendVerdict.of(null, Name.written(5).as(Kind.TAKEN_OVER), 5))
                .isEqualTo(Reason.SEALED);
        assertThat(AppendVerdict.of(null, Name.written(5).as(Kind.SEALED), 5)).isEqualTo(Reason.SEALED);
        assertThat(AppendVerdict.of(null, Name.written(5).as(Kind.DELETED_FENCED), 5))
                .isEqualTo(Reason.DELETED);
        assertThat(AppendVerdict.of(null, Name.ABSENT, 5)).isEqualTo(Reason.DELETED);
        assertThat(AppendVerdict.of(null, Name.written(6), 5)).isEqualTo(Reason.DELETED);
        assertThat(AppendVerdict.of(null, null, 5)).isEqualTo(Reason.BROKEN);
        assertThat(AppendVerdict.of(Reason.SEALED, Name.written(5), 5)).isEqualTo(Reason.SEALED);
    }
}
