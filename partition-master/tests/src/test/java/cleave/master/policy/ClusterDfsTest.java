package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.FeatureLevels;
import org.junit.jupiter.api.Test;

class ClusterDfsTest {
    private static final String FIRST = "aaaaaaaa-2222-3333-4444-555555555555";
    private static final String SECOND = "bbbbbbbb-2222-3333-4444-555555555555";

    @Test
    void aServerMustUseTheDfsOfTheLeader() {
        assertThat(ClusterDfs.serverProblem("s1", FIRST, FIRST, FeatureLevels.DFS))
                .isNull();
        assertThat(ClusterDfs.serverProblem("s1", SECOND, FIRST, FeatureLevels.LEVELS))
                .contains("server s1 uses DFS " + SECOND, "in DFS " + FIRST);
        assertThat(ClusterDfs.serverProblem("s1", "", FIRST, FeatureLevels.LEVELS))
                .isNull();
        assertThat(ClusterDfs.serverProblem("s1", "", FIRST, FeatureLevels.DFS)).contains("does not name");
        assertThat(ClusterDfs.serverProblem("s1", "", "", FeatureLevels.DFS)).isNull();
    }
}
