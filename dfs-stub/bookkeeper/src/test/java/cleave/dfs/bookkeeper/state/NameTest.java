package cleave.dfs.bookkeeper.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name.Kind;
import cleave.dfs.bookkeeper.state.Retention.Due;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class NameTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

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

    @Test
    void aFencedLedgerOutlivesEveryWriterThatCouldNotLearnOfIt() {
        Retention retention = Retention.STANDARD;
        Name takenOver = new Name(Kind.DELETED_FENCED, 5, 0);
        assertThat(retention.due(takenOver, 23 * HOUR)).isEqualTo(Due.NOTHING);
        assertThat(retention.due(takenOver, 25 * HOUR)).isEqualTo(Due.DELETE_LEDGER);
        assertThat(retention.due(takenOver.withoutLedger(), 25 * HOUR)).isEqualTo(Due.NOTHING);
        assertThat(retention.due(takenOver.withoutLedger(), 169 * HOUR)).isEqualTo(Due.FORGET);
        assertThat(retention.due(new Name(Kind.DELETED, 5, 0), 0)).isEqualTo(Due.DELETE_LEDGER);

        Confirmation confirmed = new Confirmation(0, 0);
        assertThat(confirmed.isOlderThan(12 * HOUR, 12 * HOUR, 0)).isFalse();
        assertThat(confirmed.isOlderThan(12 * HOUR, 12 * HOUR + 1, 0)).isTrue();
        assertThat(confirmed.isOlderThan(12 * HOUR, 0, TimeUnit.HOURS.toMillis(13)))
                .as("a machine that slept has a monotonic clock that stood still")
                .isTrue();
    }
}
