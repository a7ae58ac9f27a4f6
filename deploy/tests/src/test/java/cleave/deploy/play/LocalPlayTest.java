package cleave.deploy.play;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.board.http.Unusable;
import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
import cleave.runtime.loop.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused, and what a load says that reaches nobody. {@code PlayPageIT} plays with a cluster. */
class LocalPlayTest {
    private static final int NOBODY = 1;

    @Test
    void aStandaloneSaysWhyItHasNoProcesses() {
        try (LocalPlay play = LocalPlay.ofStandalone(Endpoint.development(NOBODY))) {
            assertThat(state(play)).contains("\"processes\":[]", "cleave cluster --dir DIR --play");
            refuses(play, 409, "one process", Map.of("do", "kill", "role", "server", "number", "1"));
            refuses(
                    play,
                    409,
                    "one process",
                    Map.of("do", "cut", "role", "server", "number", "1", "partner", "master"));
            refuses(play, 409, "one process", Map.of("do", "heal"));
        }
    }

    @Test
    void whatIsNoDeedIsRefused() {
        try (LocalPlay play = LocalPlay.ofStandalone(Endpoint.development(NOBODY))) {
            refuses(play, 400, "it is one of kill", Map.of("do", "explode"));
            refuses(play, 400, "it is one of kill", Map.of());
            refuses(play, 400, "it is one of uniform", Map.of("do", "load", "load", "all"));
        }
    }

    @Test
    void aLoadThatReachesNobodySaysSo() {
        try (LocalPlay play = LocalPlay.ofStandalone(Endpoint.development(NOBODY))) {
            play.act(Map.of("do", "load", "load", "scan"));

            // The load meets its trouble on a thread of its own, before or after the deed is noted.
            for (String said : List.of("the table of the load cannot be made", "The load is scan")) {
                Await.until(() -> said + ": " + state(play), () -> state(play).contains(said));
            }
            assertThat(state(play)).contains("\"now\":\"scan\"", "\"answered\":0");
        }
    }

    @Test
    void thereMustBeACluster(@TempDir Path dir) {
        assertThatThrownBy(() -> LocalPlay.ofCluster(dir))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("there is no cluster");
    }

    @Test
    void whoPlaysNeedsTheBoard(@TempDir Path dir) {
        TestTerminal terminal = new TestTerminal();
        Path cluster = dir.resolve("cluster");
        Path data = dir.resolve("data");

        assertThat(terminal.run("cluster", "--dir", cluster.toString(), "--play", "--no-board"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("--play is for the board");
        assertThat(terminal.run("standalone", "--data", data.toString(), "--play", "--no-board"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(cluster).doesNotExist();
        assertThat(data).doesNotExist();
    }

    private static void refuses(LocalPlay play, int status, String why, Map<String, String> what) {
        assertThatThrownBy(() -> play.act(what))
                .isInstanceOfSatisfying(
                        Unusable.class, refused -> assertThat(refused.status()).isEqualTo(status))
                .hasMessageContaining(why);
    }

    private static String state(LocalPlay play) {
        return new String(play.state(), UTF_8);
    }
}
