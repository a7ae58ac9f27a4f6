package cleave.chaos.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is looked for before a peer starts. */
class PeersTest {
    @TempDir
    private Path dir;

    private Path executable(String file) throws IOException {
        Path path = dir.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, "#!/bin/sh\n");
        assertThat(path.toFile().setExecutable(true)).isTrue();
        return path;
    }

    private Path java(String home, String version) throws IOException {
        executable(home + "/bin/java");
        Files.writeString(dir.resolve(home).resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return dir.resolve(home);
    }

    @Test
    void aPeerIsFoundByItsNameAndAWrongOneIsToldTheRightOnes() {
        assertThat(PeerKind.of("Cassandra")).isEqualTo(PeerKind.CASSANDRA);
        assertThatThrownBy(() -> PeerKind.of("mysql"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("there is no peer 'mysql'; the peers are cassandra, postgres");
    }

    @Test
    void theBestJavaOfThoseThatFitIsTaken() throws IOException {
        Path eleven = java("eleven", "11.0.20");
        Path seventeen = java("seventeen", "17.0.15");
        Path newest = java("newest", "25");
        List<Integer> versions = List.of(17, 11);

        assertThat(FittingJava.of("X", versions, List.of(newest, eleven, seventeen)))
                .isEqualTo(seventeen);
        assertThat(FittingJava.of("X", versions, List.of(newest, eleven))).isEqualTo(eleven);
        assertThatThrownBy(() -> FittingJava.home("X", versions, newest))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContainingAll("X needs Java 17 or 11, but here is only 25 in " + newest, "--peer-java");
        assertThatThrownBy(() -> FittingJava.home("X", versions, dir.resolve("nowhere")))
                .hasMessageContaining("but there is none in");
    }

    @Test
    void theNewestOfDebiansServersIsTaken() throws IOException {
        executable("9/bin/initdb");
        executable("9/bin/postgres");
        executable("15/bin/initdb");
        executable("15/bin/postgres");

        assertThat(PostgresPrograms.in(PostgresPrograms.ofDebian(dir))).isEqualTo(dir.resolve("15/bin"));
        assertThat(PostgresPrograms.ofDebian(dir.resolve("nowhere"))).isEmpty();
        assertThatThrownBy(() -> PostgresPrograms.in(List.of(dir)))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("Debian's package is 'postgresql'");
    }

    @Test
    void librariesAreThoseOfTheTree() throws IOException {
        Path lib = Files.createDirectories(dir.resolve("chaos-tests/peers/cassandra/target/lib"));
        Files.writeString(lib.resolve("b.jar"), "");
        Files.writeString(lib.resolve("a.jar"), "");
        Path code = dir.resolve("chaos-tests/bench/target/chaos-bench.jar");

        assertThat(PeerLibraries.below(code, PeerKind.CASSANDRA))
                .containsExactly(lib.resolve("a.jar"), lib.resolve("b.jar"));
        assertThatThrownBy(() -> PeerLibraries.below(code, PeerKind.POSTGRES))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContainingAll(
                        "the libraries for PostgreSQL were not fetched", "./cleave bench --peer postgres");
    }

    @Test
    void aProgramThatFailsIsToldWithWhatItPrinted() {
        assertThatThrownBy(() -> OtherProcess.run(
                        "loser",
                        dir,
                        List.of("/bin/sh", "-c", "echo the port is taken; exit 3"),
                        java.time.Duration.ofSeconds(60)))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContainingAll("loser failed", "the port is taken");
    }

    @Test
    void cassandraSyncsBeforeItAnswers() {
        assertThat(Cassandra.settings(Path.of("/a 'folder'"), 1, 2))
                .contains("commitlog_sync: batch\n", "native_transport_port: 1\n", "- seeds: \"127.0.0.1:2\"\n")
                .contains("commitlog_directory: '/a ''folder''/commitlog'\n");
    }
}
