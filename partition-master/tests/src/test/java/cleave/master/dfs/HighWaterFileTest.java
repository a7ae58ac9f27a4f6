package cleave.master.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.memory.InMemoryDfs;
import cleave.master.policy.HighWater;
import org.junit.jupiter.api.Test;

/** The files that a leader's notes leave behind. */
final class HighWaterFileTest {
    private final InMemoryDfs dfs = new InMemoryDfs();
    private int files;
    private final HighWaterFile notes = new HighWaterFile(dfs, () -> "n" + ++files);

    private HighWater read() {
        return new HighWaterFile(dfs, () -> "other").read().join();
    }

    @Test
    void aFullFileIsSealedAndDeletedOnceThereIsAnother() {
        long version = 0;
        while (files < 3) {
            notes.note(new HighWater(++version, 1)).join();
        }

        assertThat(dfs.givenUp()).isEmpty();
        assertThat(dfs.handles()).hasSize(1);
        assertThat(dfs.paths("high-water")).containsExactly("cluster/high-water/n3");
        assertThat(read()).isEqualTo(new HighWater(version, 1));
    }

    @Test
    void aFileThatFailedIsSealedAsWell() {
        notes.note(new HighWater(1, 1)).join();
        dfs.breakAppends("cluster/high-water/n1", 0);
        assertThatThrownBy(() -> notes.note(new HighWater(2, 1)).join()).hasMessageContaining("not noted");

        notes.note(new HighWater(3, 1)).join();

        assertThat(dfs.givenUp()).isEmpty();
        assertThat(dfs.handles()).containsExactly("cluster/high-water/n2");
        assertThat(read()).isEqualTo(new HighWater(3, 1));
    }
}
