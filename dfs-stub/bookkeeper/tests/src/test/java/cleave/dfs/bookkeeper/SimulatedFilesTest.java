package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.bookkeeper.SimWorld.Bug;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import java.io.IOException;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The code that runs on ZooKeeper and bookies, on simulated ones: it keeps the contract whatever fails, with the times of production. */
class SimulatedFilesTest {
    private static void assertRight(LongFunction<List<String>> run, long first, long last) {
        assertThat(LongStream.rangeClosed(first, last)
                        .boxed()
                        .flatMap(seed -> run.apply(seed).stream().map(each -> seed + ": " + each)))
                .isEmpty();
    }

    private static List<String> run(long seed) {
        return SimRun.violations(seed, Bug.NONE);
    }

    private static List<String> runWithFences(long seed) {
        return SimRun.violationsWithFences(seed, Bug.NONE);
    }

    @Test
    void theContractIsKeptWhateverFails() {
        assertRight(SimulatedFilesTest::run, 1, 12);
        assertRight(SimulatedFilesTest::runWithFences, 1, 6);
    }

    /** A process read less than it had sealed: what it had open did not know of the seal, nor did the session that looked again. */
    @ParameterizedTest
    @ValueSource(longs = {624, 715})
    void aProcessSeesAllThatItHasSealed(long seed) {
        assertRight(SimulatedFilesTest::run, seed, seed);
    }

    /** A hundred runs take some two minutes, and twenty more have fences. */
    @ParameterizedTest
    @ValueSource(longs = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000})
    @Tag("nightly")
    void theContractIsKeptInAThousandRuns(long last) {
        assertRight(SimulatedFilesTest::run, last - 99, last);
        assertRight(SimulatedFilesTest::runWithFences, last - 99, last - 80);
    }

    @TestFactory
    Stream<DynamicNode> stories() throws IOException {
        return Transcripts.of("files", () -> new SimStory(Bug.NONE));
    }

    /** The first seed that shows each. */
    @ParameterizedTest
    @CsvSource({"NAMED_THOUGH_SWEPT, 33", "END_WITHOUT_FENCE, 1"})
    void aPlantedBugIsFound(Bug bug, long seed) {
        assertThat(SimRun.violations(seed, bug)).isNotEmpty();
    }

    @Test
    void aFenceThatABookieForgetsIsFound() {
        assertThat(SimRun.violationsWithFences(14, Bug.FENCE_NOT_SYNCED)).isNotEmpty();
    }

    /** It is too rare for the first seeds. The story without the bug is told in {@code fences.txt}. */
    @Test
    void clocksThatSleepAreFoundByAStory() {
        SimStory story = new SimStory(Bug.CLOCKS_SLEEP);
        List<String> told = Stream.of(
                        "b starts",
                        "wait 3h",
                        "a create log",
                        "a sleeps 48h",
                        "b seal log",
                        "b delete log",
                        "wait 40h",
                        "bookies-restart",
                        "a append log two",
                        "wait 10h")
                .map(line -> List.of(line.split(" ")))
                .flatMap(words -> story.run(new Command(words.get(0), words.subList(1, words.size()))).stream())
                .toList();

        assertThat(told).contains("a append log two: 3");
    }
}
