package cleave.deploy.board;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command refuses, in one line each. */
class BoardCommandTest {
    private static final String NOBODY = "127.0.0.1:1";

    @TempDir
    private Path dir;

    private final TestTerminal terminal = new TestTerminal();

    private void refuses(int code, String why, String... arguments) {
        assertThat(terminal.run(List.of("board"), arguments)).as(terminal::said).isEqualTo(code);
        assertThat(terminal.err()).startsWith("cleave board: ").contains(why);
        assertThat(terminal.err().lines()).hasSize(1);
        assertThat(terminal.out()).isEmpty();
    }

    @Test
    void othersNeedATokenToSeeKeys() throws IOException {
        refuses(ExitCode.USAGE, "other machines can reach this address", "--masters", NOBODY, "--listen", "0.0.0.0:0");
        Path token = Files.writeString(dir.resolve("token"), "too short\n");
        refuses(
                ExitCode.USAGE,
                "at least 16 letters",
                "--masters",
                NOBODY,
                "--listen",
                "0.0.0.0:0",
                "--token-file",
                token.toString());
        refuses(ExitCode.USAGE, "no such file", "--masters", NOBODY, "--token-file", dir + "/none");
    }

    @Test
    void whoPlaysNamesAClusterOnThisMachineAndListensOnLoopback() throws IOException {
        refuses(ExitCode.USAGE, "a board can only watch", "--masters", NOBODY, "--play", "--listen", "127.0.0.1:0");
        refuses(
                ExitCode.USAGE,
                "there is no cluster in",
                "--masters",
                NOBODY,
                "--play",
                "--dir",
                dir.toString(),
                "--listen",
                "127.0.0.1:0");
        Path token = Files.writeString(dir.resolve("token"), "a token that is long enough".replace(' ', '-'));
        refuses(
                ExitCode.USAGE,
                "--play ends processes. Listen on 127.0.0.1",
                "--masters",
                NOBODY,
                "--play",
                "--dir",
                dir.toString(),
                "--token-file",
                token.toString(),
                "--listen",
                "0.0.0.0:0");
        refuses(ExitCode.USAGE, "--replay shows a file", "--play", "--replay", "recording.jsonl");
        Path weak = Files.writeString(dir.resolve("weak"), "short");
        refuses(
                ExitCode.USAGE,
                "--admin-token-file " + weak + ": a token has at least 16 letters",
                "--masters",
                NOBODY,
                "--admin-token-file",
                weak.toString(),
                "--listen",
                "127.0.0.1:0");
    }

    @Test
    void anAddressHasAPort() {
        refuses(ExitCode.USAGE, "--listen", "--masters", NOBODY, "--listen", "localhost");
    }

    @Test
    void aTakenPortIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            refuses(ExitCode.TAKEN, "cannot listen on " + address, "--masters", NOBODY, "--listen", address);
        }
    }

    @Test
    void whatIsScrapedHasAKindAndAnAddress() {
        refuses(ExitCode.USAGE, "KIND being one of", "--masters", NOBODY, "--scrape", "disk=localhost:1");
        refuses(ExitCode.USAGE, "neither host:port", "--masters", NOBODY, "--scrape", "dfs=localhost");
    }

    @Test
    void aRecordingIsShownWithoutACluster() throws IOException {
        Path file = Files.writeString(dir.resolve("poems"), "no recording\n");
        refuses(ExitCode.USAGE, "is no recording", "--listen", "127.0.0.1:0", "--replay", file.toString());
        refuses(ExitCode.USAGE, "--replay shows a file", "--replay", file.toString(), "--masters", NOBODY);
        refuses(ExitCode.USAGE, "none", "--listen", "127.0.0.1:0", "--replay", dir + "/none");
        Path later = Files.writeString(dir.resolve("later"), "{\"recording\":7}\n");
        refuses(ExitCode.UNKNOWN_FORMAT, "a recording of version 7", "--replay", later.toString());
    }

    @Test
    void whatHoldsOtherThingsIsLeftAlone() throws IOException {
        Path data = Files.createDirectory(dir.resolve("data"));
        Path file = Files.writeString(data.resolve("board.jsonl"), "my poems\n");
        refuses(
                ExitCode.TAKEN,
                "board.jsonl",
                "--listen",
                "127.0.0.1:0",
                "--masters",
                NOBODY,
                "--data",
                data.toString());
        assertThat(Files.readAllLines(file)).isEqualTo(List.of("my poems"));
    }
}
