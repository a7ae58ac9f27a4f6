package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.BackupStory.Mistake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code -Dsim.seed=S} begins with another seed. */
class BackupStoryTest {
    private static final int SEEDS_MAX = 40;
    private static final int FIXED = 6;

    @TempDir
    private Path dir;

    static LongStream seeds() {
        long first = Long.getLong("sim.seed", 1);
        return LongStream.range(first, first + FIXED);
    }

    static LongStream more() {
        return LongStream.rangeClosed(FIXED + 1, SEEDS_MAX);
    }

    private List<String> run(long seed, Mistake mistake) throws IOException {
        return BackupStory.run(seed, mistake, Files.createDirectory(dir.resolve("seed-" + seed)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatIsRestoredIsWhatWasThereWhileTheBackupRan(long seed) throws IOException {
        assertThat(run(seed, Mistake.NONE)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("more")
    @Tag("nightly")
    void soItIsForManyMoreSeeds(long seed) throws IOException {
        assertThat(run(seed, Mistake.NONE)).isEmpty();
    }

    private static boolean isSeenInWhatWasRestored(String violation) {
        return violation.startsWith("history: ") || violation.startsWith("table ");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMistakeIsFound(Mistake mistake) throws IOException {
        boolean found = false;
        for (long seed = 1; !found && seed <= SEEDS_MAX; seed++) {
            found = run(seed, mistake).stream().anyMatch(BackupStoryTest::isSeenInWhatWasRestored);
        }
        assertThat(found).as("%s within %s seeds", mistake, SEEDS_MAX).isTrue();
    }
}
