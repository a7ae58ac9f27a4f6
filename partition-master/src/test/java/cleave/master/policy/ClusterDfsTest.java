package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.master.state.MasterCommand.UseDfs;
import cleave.master.state.Script;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterDfsTest {
    private static final String FIRST = "aaaaaaaa-2222-3333-4444-555555555555";
    private static final String SECOND = "bbbbbbbb-2222-3333-4444-555555555555";
    private static final DfsIdentity ORIGINAL = DfsIdentity.of(FIRST);
    private static final DfsIdentity COPY = DfsIdentity.ofCopy(SECOND, ORIGINAL);
    private static final DfsIdentity COPY_OF_THE_COPY =
            DfsIdentity.ofCopy("cccccccc-2222-3333-4444-555555555555", COPY);
    private static final DfsIdentity STRANGER = DfsIdentity.of(SECOND);

    private final Script script = Script.started();
    private final Incarnation s1 = script.register("s1");

    /** A cluster at this level whose only range has a manifest. */
    private List<String> served(int level) {
        script.apply(new RaiseLevel(level, List.of(s1)));
        script.apply(Script.takeover(script.rowAt(0), s1, "manifests/1"));
        return List.of(String.valueOf(script.rowAt(0).manifest()));
    }

    private @Nullable UseDfs next(DfsIdentity used, List<String> paths) {
        return ClusterDfs.next(script.state(), Optional.of(used), paths);
    }

    private void use(DfsIdentity dfs, List<String> paths) {
        assertThat(script.apply(Objects.requireNonNull(next(dfs, paths))).isOk())
                .isTrue();
    }

    @Test
    void theFirstDfsIsThatOfTheLeader() {
        served(FeatureLevels.DFS);
        assertThat(ClusterDfs.problem(script.state(), Optional.of(ORIGINAL))).isNull();
        assertThat(ClusterDfs.outdated(script.state(), Optional.of(ORIGINAL), List.of()))
                .isNull();
        assertThat(next(ORIGINAL, List.of()))
                .isEqualTo(new UseDfs("", FIRST, script.state().mapVersion()));
    }

    @Test
    void theFirstDfsOfALeaderOnACopyIsItsOrigin() {
        List<String> paths = served(FeatureLevels.DFS);
        use(COPY, List.of());
        assertThat(script.state().dfs()).isEqualTo(FIRST);
        assertThat(ClusterDfs.outdated(script.state(), Optional.of(COPY), List.of()))
                .contains(paths.get(0));
        use(COPY, paths);
        assertThat(script.state().dfs()).isEqualTo(SECOND);
        assertThat(script.state().isKnownDead(s1)).isTrue();
    }

    @Test
    void aDfsWithoutAnIdIsTakenOnlyWhileTheClusterKnowsNone() {
        List<String> paths = served(FeatureLevels.DFS);
        assertThat(ClusterDfs.problem(script.state(), Optional.empty())).isNull();
        assertThat(ClusterDfs.outdated(script.state(), Optional.empty(), paths)).isNull();
        assertThat(ClusterDfs.next(script.state(), Optional.empty(), paths)).isNull();
        use(ORIGINAL, paths);
        assertThat(ClusterDfs.problem(script.state(), Optional.empty()))
                .contains("does not say which one it is", FIRST);
    }

    @Test
    void nothingIsReplicatedBelowItsLevel() {
        List<String> paths = served(FeatureLevels.LEVELS);
        assertThat(next(ORIGINAL, paths)).isNull();
    }

    @Test
    void aCopyWithEachManifestTakesThePlaceOfItsOrigin() {
        List<String> paths = served(FeatureLevels.DFS);
        use(ORIGINAL, paths);
        assertThat(next(ORIGINAL, paths)).isNull();
        assertThat(ClusterDfs.problem(script.state(), Optional.of(COPY))).isNull();
        assertThat(ClusterDfs.outdated(script.state(), Optional.of(COPY), paths))
                .isNull();
        assertThat(next(COPY, paths))
                .isEqualTo(new UseDfs(FIRST, SECOND, script.state().mapVersion()));

        use(COPY, paths);

        assertThat(ClusterDfs.problem(script.state(), Optional.of(ORIGINAL)))
                .contains(FIRST, SECOND, "correct setting dfs");
        assertThat(next(ORIGINAL, paths)).isNull();
    }

    @Test
    void aCopyOfACopyThatWasNeverUsedTakesThePlaceOfTheFirst() {
        List<String> paths = served(FeatureLevels.DFS);
        use(ORIGINAL, paths);
        assertThat(ClusterDfs.problem(script.state(), Optional.of(COPY_OF_THE_COPY)))
                .isNull();
        assertThat(ClusterDfs.outdated(script.state(), Optional.of(COPY_OF_THE_COPY), List.of()))
                .contains(paths.get(0));
        assertThat(next(COPY_OF_THE_COPY, List.of())).isNull();

        use(COPY_OF_THE_COPY, paths);

        assertThat(script.state().dfs()).isEqualTo(COPY_OF_THE_COPY.id());
        assertThat(ClusterDfs.problem(script.state(), Optional.of(COPY))).contains("correct setting dfs");
        assertThat(ClusterDfs.problem(script.state(), Optional.of(ORIGINAL))).contains("correct setting dfs");
    }

    @Test
    void aCopyThatLacksAManifestOfTheMapIsOutdated() {
        List<String> paths = served(FeatureLevels.DFS);
        use(ORIGINAL, paths);
        assertThat(ClusterDfs.outdated(script.state(), Optional.of(COPY), List.of()))
                .contains(paths.get(0), FIRST, SECOND);
        assertThat(next(COPY, List.of())).isNull();
    }

    @Test
    void aDfsThatIsNoCopyOfTheClustersIsRefused() {
        List<String> paths = served(FeatureLevels.DFS);
        use(ORIGINAL, paths);
        assertThat(ClusterDfs.problem(script.state(), Optional.of(STRANGER))).contains(FIRST, SECOND);
        assertThat(next(STRANGER, paths)).isNull();
    }

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
