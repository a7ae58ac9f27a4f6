package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.LauncherTree.Ran;
import cleave.runtime.loop.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the top of the project: the archives of classes that it makes and uses. */
class LauncherArchiveTest {
    @TempDir
    private Path dir;

    private LauncherTree tree;

    /** The warm-up writes its archives when it may, and counts the runs for that of the whole product. */
    @BeforeEach
    void makeTree() throws IOException {
        tree = new LauncherTree(dir);
        tree.build();
        tree.java("jdk", "21.0.1", """
                #!/bin/sh
                for option in "$@"; do
                    case $option in
                        -XX:ArchiveClassesAtExit=*)
                            echo $$ >>"%1$s/runs"
                            until [ -f "%1$s/go" ]; do sleep 0.05; done
                            : >"${option#*=}"
                            exit "$(cat "%1$s/go")" ;;
                        -XX:DumpLoadedClassList=*) : >"${option#*=}"; exit ;;
                        -Xshare:dump)
                            for option in "$@"; do
                                case $option in -XX:SharedArchiveFile=*) : >"${option#*=}" ;; esac
                            done
                            exit ;;
                    esac
                done
                echo "ran with: $*"
                """.formatted(dir));
    }

    private List<String> runs() throws IOException {
        return Files.exists(dir.resolve("runs")) ? Files.readAllLines(dir.resolve("runs")) : List.of();
    }

    private boolean isMaking() {
        return Files.exists(tree.root.resolve(".cleave/archive.lock"));
    }

    private void letItEnd(int status) throws Exception {
        Await.until("the archive is being made", () -> !runs().isEmpty());
        Files.writeString(dir.resolve("go"), Integer.toString(status));
        Await.until("nothing is made", () -> !isMaking());
    }

    @Test
    void theArchiveIsMadeWhileTheCommandRunsAndOnce() throws Exception {
        // They end, and so does their output, while the archive is still being made.
        assertThat(tree.out("standalone"))
                .contains("in the background", "ran with")
                .doesNotContain("SharedArchiveFile");
        assertThat(tree.out("standalone")).doesNotContain("background", "SharedArchiveFile");
        letItEnd(0);

        assertThat(tree.out("standalone")).contains("-XX:SharedArchiveFile=");
        assertThat(runs()).hasSize(1);
    }

    @Test
    void anArchiveServesUntilAJarOfTheProductChanges() throws Exception {
        tree.launch("standalone");
        letItEnd(0);

        tree.write("chaos-tests/labs/target/chaos-labs-1.jar", "edited");
        assertThat(tree.out("load")).contains("-XX:SharedArchiveFile=");
        assertThat(tree.out("--help")).doesNotContain("background", "-XX:SharedArchiveFile=");

        tree.write("deploy/target/deploy-1.jar", "edited");
        assertThat(tree.out("load")).contains("background").doesNotContain("/classes-");
        Await.until("a second one was made", () -> runs().size() == 2 && !isMaking());
        assertThat(tree.out("load")).contains("-XX:SharedArchiveFile=", "/classes-");
    }

    @Test
    void theArchiveOfTheLibrariesServesUntilOneOfThemChanges() throws Exception {
        tree.launch("standalone");
        letItEnd(0);

        tree.write("deploy/target/lib/shared-1.jar", "edited");
        assertThat(tree.out("standalone")).contains("background", "-XX:SharedArchiveFile=", "/libraries-");
        Await.until("nothing is made", () -> !isMaking());

        tree.write("deploy/target/lib/library-2.jar", "edited");
        assertThat(tree.out("standalone")).contains("background").doesNotContain("-XX:SharedArchiveFile=");
        Await.until("nothing is made", () -> !isMaking());
    }

    @Test
    void anArchiveOfJarsThatWereReplacedMeanwhileIsNotKept() throws Exception {
        tree.launch("standalone");
        Await.until("the archive is being made", () -> !runs().isEmpty());
        tree.write("deploy/target/deploy-1.jar", "edited");
        letItEnd(0);

        assertThat(tree.out("standalone")).contains("background");
        Await.until("a second one was made", () -> runs().size() == 2 && !isMaking());
        assertThat(tree.out("standalone")).contains("-XX:SharedArchiveFile=");
    }

    @Test
    void aRunThatFailedIsNotRepeatedAndOneThatWasKilledIs() throws Exception {
        tree.launch("standalone");
        Await.until("the archive is being made", () -> !runs().isEmpty());
        tree.run(Map.of(), List.of("kill", "-9", runs().get(0)));
        Await.until("nothing is made", () -> !isMaking());

        assertThat(tree.out("standalone")).contains("background");
        Await.until("a second one is being made", () -> runs().size() == 2);
        letItEnd(1);

        assertThat(tree.out("standalone")).doesNotContain("background", "/classes-");
        assertThat(runs()).hasSize(2);
    }

    @Test
    void theLockOfAProcessThatIsGoneHoldsNothing() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        tree.write(".cleave/archive.lock/pid", gone.pid() + "\n");

        assertThat(tree.out("standalone")).contains("background");
        letItEnd(0);
    }

    @Test
    void whereNothingCanBeWrittenACommandRunsWithoutAnArchive() throws Exception {
        tree.write(".cleave", "not a folder");

        assertThat(tree.out("standalone")).startsWith("ran with").doesNotContain("SharedArchiveFile");
        assertThat(runs()).isEmpty();
    }

    /** Holds also with a damaged archive, like the first one made here after a build by Maven alone. */
    @Test
    void theJvmAtHandTakesTheOptionsSilently() throws Exception {
        tree.java("jdk", Integer.toString(Runtime.version().feature()), """
                #!/bin/sh
                for option in "$@"; do
                    case $option in -XX:ArchiveClassesAtExit=* | -XX:AOTCacheOutput=*) echo damaged >"${option#*=}" ;; esac
                done
                for option in "$@"; do
                    case $option in -cp) break ;; *) echo "$option" ;; esac
                done
                """);
        tree.launch("standalone");
        Await.until("nothing is made", () -> !isMaking());

        Ran ran = tree.launch("standalone");

        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ran.out().lines().filter(line -> line.startsWith("-")).forEach(command::add);
        command.add("--version");
        assertThat(command)
                .anyMatch(option -> option.startsWith("-XX:SharedArchiveFile=") || option.startsWith("-XX:AOTCache="));
        Ran silent = tree.run(Map.of(), List.of(command.get(0), "--version"));
        Ran real = tree.run(Map.of(), command);
        assertThat(real.status()).isZero();
        assertThat(real.out()).isEqualTo(silent.out().replace(", sharing", ""));
    }
}
