package cleave.board.browser;

import cleave.chaos.sim.Scenario;
import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.film.FilmPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a film of the simulator, with a right run and a wrong one beside it. */
class FilmPageIT {
    @TempDir
    private Path folder;

    @Test
    void theFilmPlaysStepsAndNamesTheViolation() throws IOException {
        Scenario story = Scenario.named("zombie-write");
        Path page = folder.resolve("film.html");
        FilmPage.write(
                page,
                "Cleave, simulated: " + story.title(),
                "With a planted bug: " + Bug.SEAL_SKIPPED.text(),
                List.of(
                        story.film(1, Bug.NONE).film(),
                        story.film(1, Bug.SEAL_SKIPPED).film()));

        Browser.here().run("film.test.mjs", "FILM", page.toUri().toString());
    }
}
