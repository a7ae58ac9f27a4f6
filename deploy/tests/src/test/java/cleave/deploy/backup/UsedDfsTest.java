package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
import cleave.wire.StatusReply;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UsedDfsTest {
    private static final DfsIdentity FIRST = DfsIdentity.of("aaaaaaaa-2222-3333-4444-555555555555");
    private static final DfsIdentity COPY = DfsIdentity.ofCopy("bbbbbbbb-2222-3333-4444-555555555555", FIRST);

    private static StatusReply masters(int level, String dfs) {
        return StatusReply.newBuilder().setLevel(level).setDfs(dfs).build();
    }

    @Test
    void theDfsOfTheMastersIsKnownByItsId() {
        assertThat(UsedDfs.idOf(masters(FeatureLevels.DFS, COPY.id()), Optional.of(COPY)))
                .isEqualTo(COPY.id());
        assertThat(UsedDfs.idOf(masters(FeatureLevels.DFS, ""), Optional.of(COPY)))
                .isEqualTo(COPY.id());
    }

    @Test
    void belowItsLevelAndWithoutOneTheIdIsNotKnown() {
        assertThat(UsedDfs.idOf(masters(FeatureLevels.LEVELS, ""), Optional.of(COPY)))
                .isEmpty();
        assertThat(UsedDfs.idOf(masters(FeatureLevels.DFS, COPY.id()), Optional.empty()))
                .isEmpty();
    }

    @Test
    void theOriginAndACopyAreNotTheDfsOfTheMasters() {
        assertThatThrownBy(() -> UsedDfs.idOf(masters(FeatureLevels.DFS, COPY.id()), Optional.of(FIRST)))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("in DFS " + COPY.id() + ", but --dfs is DFS " + FIRST.id());
        assertThatThrownBy(() -> UsedDfs.idOf(masters(FeatureLevels.DFS, FIRST.id()), Optional.of(COPY)))
                .isInstanceOf(CommandFailure.class);
    }
}
