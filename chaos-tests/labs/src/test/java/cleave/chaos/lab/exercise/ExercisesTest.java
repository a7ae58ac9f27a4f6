package cleave.chaos.lab.exercise;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** An exercise must not become stale in silence: it fits the sources of today, and its graders find it unsolved as it is given. */
class ExercisesTest {
    private static final Path ROOT = Path.of("..", "..");

    @TempDir
    private Path folder;

    static List<Exercise> exercises() {
        return Exercise.all();
    }

    @Test
    void allAreThere() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/cleave/chaos/lab/exercise"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(Exercise.NAMES.stream()
                            .flatMap(name -> Stream.of(name + ".md", name + ".patch"))
                            .toList());
        }
        assertThat(Exercise.all()).hasSameSizeAs(Exercise.NAMES);
    }

    @ParameterizedTest
    @MethodSource("exercises")
    void itsPatchFitsTodaysSource(Exercise exercise) throws IOException {
        String original = Files.readString(ROOT.resolve(exercise.file()));

        assertThat(exercise.patch().lines().filter(line -> line.startsWith("+++ ")))
                .containsExactly("+++ b/" + exercise.file());
        assertThat(MutatedClasses.given(exercise, folder)).isNotEqualTo(original);
    }

    @ParameterizedTest
    @MethodSource("exercises")
    void itsChecksNameWhatIsThere(Exercise exercise) throws IOException {
        assertThat(exercise.checks()).isNotEmpty();
        assertThat(exercise.checks().get(0).kind()).as("compiles").isEqualTo(Check.Kind.TESTS);
        for (Check check : exercise.checks()) {
            if (check.kind() == Check.Kind.STORY) {
                assertThat(check.words())
                        .allSatisfy(story ->
                                assertThat(Scenario.of(story)).as(story).isNotNull());
            } else if (check.kind() == Check.Kind.SEEDS) {
                assertThat(check.seeds()).isBetween(1, 100);
            } else {
                for (String test : check.words()) {
                    try (Stream<Path> files =
                            Files.walk(ROOT.resolve(exercise.tests()).resolve("src/test/java"))) {
                        assertThat(files.map(file -> file.getFileName().toString()))
                                .contains(test + ".java");
                    }
                }
            }
        }
    }

    /** One quick test of each exercise's graders; {@code cleave lab grade} runs all of them. */
    @ParameterizedTest
    @CsvSource({
        "timestamp, cleave.server.TimestampLimitTest, aClockThatJumpsAheadIsHeldAtTheLeadersClockAndTheBound",
        "barrier, cleave.server.CommittingTest, aReadNeverJoinsABarrierThatIsUnderWay",
        "sealed-length, cleave.server.LogReplayTest, aLogThatStillLooksOpenIsReplayedToItsSealedLength",
        "takeover-order, cleave.server.OpeningTest, aFailedAttemptIsRepeatedWhileTheOrderStands",
        "group-commit, cleave.server.CommittingTest, requestsThatWaitShareOneRecord",
        "write-judge, cleave.server.CommittingTest, ifMatchComparesTheStoredTimestamp",
        "split-key, cleave.master.policy.SplitKeyTest, aRangeIsDividedIntoAsManyPartsAsItNeeds",
        "merge-rule, cleave.master.policy.BalancerPropertyTest, nothingMergesBeforeTheWindowWasSeenCold",
        "balancer-gap, cleave.master.policy.BalancerPropertyTest, underASmallLoadTheStartOfAClusterMovesNothing",
        "page-end, cleave.frontend.core.QueryTest, onePageCrossesTheRangesOfSeveralServersInKeyOrder"
    })
    void itCompilesAsGivenAndIsNotSolved(String name, String test, String method) throws Exception {
        Exercise exercise = Objects.requireNonNull(Exercise.of(name));
        String simple = test.substring(test.lastIndexOf('.') + 1);
        assertThat(exercise.checks())
                .anySatisfy(check -> assertThat(check.words()).contains(simple));

        TestExecutionSummary summary = MutatedClasses.of(exercise, folder).run(test, method);

        assertThat(summary.getTestsFoundCount()).isPositive();
        assertThat(summary.getTestsFailedCount())
                .as("failures of %s as it is given", name)
                .isPositive();
    }

    /** So that a failure above is due to the exercise and not to the way in which it is loaded. */
    @ParameterizedTest
    @CsvSource({
        "barrier, cleave.server.CommittingTest, ifMatchComparesTheStoredTimestamp",
        "merge-rule, cleave.master.policy.BalancerPropertyTest, aPopularPartitionIsNamedAndNothingIsSplit",
        "page-end, cleave.frontend.core.QueryTest, topZeroIsAnEmptyPageWithoutAScan"
    })
    void whatDoesNotDependOnTheRuleStillPasses(String name, String test, String method) throws Exception {
        Exercise exercise = Objects.requireNonNull(Exercise.of(name));

        TestExecutionSummary summary = MutatedClasses.of(exercise, folder).run(test, method);

        assertThat(summary.getFailures()).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isPositive();
    }

    @ParameterizedTest
    @MethodSource("exercises")
    void theIndexForTeachersListsIt(Exercise exercise) throws IOException {
        String index = Files.readString(ROOT.resolve("docs/labs/exercises.md"));

        assertThat(index)
                .contains("| `" + exercise.name() + "` | " + exercise.title() + " | " + exercise.level() + " | "
                        + exercise.minutes() + " |");
    }
}
