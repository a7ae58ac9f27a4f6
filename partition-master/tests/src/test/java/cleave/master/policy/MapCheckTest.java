package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.MapCheck.Problem;
import cleave.master.policy.MapCheck.Shown;
import cleave.master.state.Script;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The order of the checks; {@code transcripts/master/vetting.txt} shows what a leader does by them. */
class MapCheckTest {
    private static final String OURS = "11111111-2222-3333-4444-555555555555";
    private static final String THEIRS = "99999999-2222-3333-4444-555555555555";
    /** Of a map that has come further than any here. */
    private static final HighWater LATER = new HighWater(100, 1);

    private static final String LATER_FILE = "ranges/7.0/99-s1.3-log-1";

    @Test
    void aMapThatIsAsNewAsTheDfsPasses() {
        assertThat(problem(OURS, OURS, HighWater.NONE, "ranges/12.0/12-s1.9-log-1"))
                .isNull();
    }

    @Test
    void whoseTheFilesAreIsCheckedBeforeHowNewTheMapIs() {
        assertThat(problem(OURS, null, LATER, LATER_FILE))
                .satisfies(is("the DFS does not say that it belongs to cluster " + OURS, true));
        assertThat(problem(OURS, THEIRS, LATER, LATER_FILE))
                .satisfies(is("the DFS keeps the files of cluster " + THEIRS + " (founded by m1)", true));
        assertThat(problem(THEIRS, OURS, LATER, LATER_FILE))
                .satisfies(is("the log in this master's folder is of cluster " + THEIRS, false));
    }

    @Test
    void aMapIsComparedWithNotesAndThenWithNamesOfFiles() {
        assertThat(problem(OURS, OURS, LATER, LATER_FILE))
                .satisfies(is("the masters' map has gone back: it had come to version 100", false));
        assertThat(problem(OURS, OURS, HighWater.NONE, LATER_FILE))
                .satisfies(is("the masters' map has gone back: " + LATER_FILE, false));
    }

    private static Consumer<Problem> is(String text, boolean isOfSettings) {
        return problem -> {
            assertThat(problem.text()).startsWith(text);
            assertThat(problem.isOfSettings()).isEqualTo(isOfSettings);
        };
    }

    /** @param logOf the cluster of the master's log; its folder is always ours */
    private static @Nullable Problem problem(
            String logOf, @Nullable String filesOf, HighWater reached, String... paths) {
        Optional<ClusterIdentity> identity =
                Optional.ofNullable(filesOf).map(cluster -> new ClusterIdentity(new ClusterId(cluster), "m1"));
        Shown shown = new Shown(identity, Optional.empty(), reached, List.of(paths));
        return MapCheck.problem(OURS, Script.startedIn(logOf).state(), shown);
    }
}
