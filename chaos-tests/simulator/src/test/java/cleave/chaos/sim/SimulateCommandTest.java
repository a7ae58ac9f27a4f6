package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SimulateCommandTest {
    private final StringWriter out = new StringWriter();
    private final CommandLine command = new CommandLine(new SimulateCommand()).setOut(new PrintWriter(out));

    @Test
    void aCorrectSeedSucceedsAndReportsWhatHappened() {
        assertThat(command.execute("--seed", "5")).isZero();

        assertThat(out.toString())
                .contains("seed 5 is right", "virtual seconds a second", "takeovers", "Every answer was right.");
    }

    @Test
    void aWrongSeedFailsAndSaysHowToReplayIt() {
        assertThat(command.execute("--seed", "1", "--bug", "SCAN_ENDS_EARLY")).isEqualTo(1);

        assertThat(out.toString()).contains("seed 1 is WRONG", "replay: cleave simulate --seed 1", "WRONG seeds: [1]");
    }

    @Test
    void faultsCanBeChosenAndAreReplayed() {
        assertThat(command.execute("--seed", "1", "--bug", "SCAN_ENDS_EARLY", "--faults", "pause,DFS_CRASH"))
                .isEqualTo(1);

        assertThat(out.toString())
                .contains("replay: cleave simulate --seed 1 --faults PAUSE,DFS_CRASH --bug SCAN_ENDS_EARLY --trace");
    }

    @Test
    void withoutFaultsNothingGoesWrong() {
        assertThat(command.execute("--faults", "none")).isZero();

        assertThat(out.toString()).contains("seed 1 is right").doesNotContain(" fault ", " restarts of ");
    }

    @Test
    void anUnknownFaultIsRefusedWithAListOfFaults() {
        StringWriter err = new StringWriter();

        assertThat(command.setErr(new PrintWriter(err)).execute("--faults", "PAUSE,EARTHQUAKE"))
                .isEqualTo(2);

        assertThat(err.toString()).contains("there is no fault 'EARTHQUAKE'; there are none, CRASH_OF_A_SERVER, ");
    }

    @Test
    void aTraceListsEveryEvent() {
        assertThat(command.execute("--seed", "1", "--bug", "SCAN_ENDS_EARLY", "--trace"))
                .isEqualTo(1);

        assertThat(out.toString()).contains("m1 proposes", "s1 starts", "-> m", "checker VIOLATION");
    }

    @Test
    void aScenarioIsTold() {
        assertThat(command.execute("--scenario", "zombie-read")).isZero();

        assertThat(out.toString())
                .contains("it is a zombie", "What held: I2, for a key")
                .containsPattern("answer: barrier \\S+ SEALED");
    }

    @Test
    void aScenarioWithAPlantedBugNarratesTheFailure() {
        assertThat(command.execute("--scenario", "zombie-read", "--bug", "BARRIER_SKIPPED"))
                .isEqualTo(1);

        assertThat(out.toString()).contains("WRONG. What should have held: I2");
    }

    @Test
    void scenariosAreListed() {
        assertThat(command.execute("--scenario", "list")).isZero();
        assertThat(command.execute("--scenario", "zombie")).isEqualTo(2);

        assertThat(out.toString()).contains("There is no scenario 'zombie'.", "two-leaders", "lost-commit");
    }

    private String refusal(String... arguments) {
        StringBuilder message = new StringBuilder();
        command.setExecutionExceptionHandler((failed, line, parsed) -> {
            message.append(failed.getMessage());
            return 9;
        });
        assertThat(command.execute(arguments)).isEqualTo(9);
        return message.toString();
    }

    @Test
    void aFilmShowsOneRunAndItsFileCanBeWritten(@TempDir Path dir) {
        String film = dir.resolve("film.html").toString();

        assertThat(command.execute("--scenario", "zombie-write", "--film", film))
                .isZero();
        assertThat(out.toString()).contains("The film is in " + film);
        assertThat(Path.of(film)).isNotEmptyFile();

        assertThat(refusal("--seeds", "2", "--film", film)).contains("write one seed (--seed)");
        assertThat(refusal("--trace", "--film", film)).contains("no --trace without a file");
        String nowhere = dir.resolve("none/film.html").toString();
        assertThat(refusal("--scenario", "zombie-write", "--film", nowhere))
                .contains("cannot be written to " + nowhere);
    }

    @Test
    void aRunIsWrittenForOtherTools(@TempDir Path dir) {
        String folder = dir + "/";

        assertThat(command.execute(
                        "--scenario",
                        "zombie-write",
                        "--trace",
                        folder + "t.json",
                        "--shiviz",
                        folder + "s.log",
                        "--mermaid",
                        folder + "m.mmd",
                        "--history",
                        folder + "h.edn"))
                .isZero();

        assertThat(dir.resolve("t.json")).content().startsWith("{\"displayTimeUnit\"");
        assertThat(dir.resolve("s.log")).content().startsWith("(?<host>");
        assertThat(dir.resolve("m.mmd")).content().startsWith("sequenceDiagram\n");
        assertThat(dir.resolve("h.edn")).content().startsWith("{:index 0, ");
        assertThat(refusal("--seed", "5", "--mermaid", folder + "long.mmd"))
                .contains("Mermaid draws no more than 50,000 characters; --film shows runs of any length");
    }

    @Test
    void aSeedThatFailsIsShrunkAndRepeatedFromItsFile(@TempDir Path dir) throws IOException {
        String file = dir.resolve("short.faults").toString();

        assertThat(command.execute("--bug", "TRANSACTION_TORN", "--faults", "PAUSE", "--shrink", file))
                .isEqualTo(1);
        assertThat(out.toString())
                .contains("seed 1 fails with 0 of its ", "to repeat it: cleave simulate --faults " + file);
        assertThat(Files.readAllLines(Path.of(file))).contains("seed 1", "bug TRANSACTION_TORN", "kinds PAUSE");

        assertThat(command.execute("--faults", file)).isEqualTo(1);
        assertThat(out.toString())
                .contains("replay: cleave simulate --seed 1 --faults " + file + " --bug TRANSACTION_TORN --trace");
        assertThat(command.execute("--faults", file, "--bug", "NONE")).isZero();

        assertThat(refusal("--seed", "2", "--faults", file)).contains("has the faults of seed 1");
        assertThat(refusal("--seeds", "2", "--shrink", file)).contains("--shrink takes one seed");
        Files.writeString(Path.of(file), "seed 1\n12 PAUSE\n");
        assertThat(refusal("--faults", file)).contains("is no list of faults that --shrink wrote: line 2: ");
        assertThat(refusal("--faults", dir.resolve("none.faults").toString())).contains("cannot be read from");
    }

    @Test
    void allScenariosAreFilmedAndNothingElse(@TempDir Path dir) {
        assertThat(refusal("--scenario", "all")).contains("--scenario all writes films (--film DIR)");
        String file = dir.resolve("t.json").toString();
        assertThat(refusal("--scenario", "all", "--film", dir.toString(), "--trace", file))
                .contains("and nothing else");
        assertThat(refusal("--scenario", "all", "--film", dir.toString(), "--bug", "SEAL_SKIPPED"))
                .contains("so it takes no --bug");
    }
}
