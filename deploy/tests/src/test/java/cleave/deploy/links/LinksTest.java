package cleave.deploy.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The links of {@code server-1} to a master that answers each byte with the same. */
class LinksTest {
    private static final int PATIENCE_MILLIS = 60_000;

    @TempDir
    private Path dir;

    private ServerSocket master;
    private String address;
    private LinksFile file;
    private Links links;

    @BeforeEach
    void start() throws IOException {
        master = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        address = "127.0.0.1:" + master.getLocalPort();
        Thread echo = new Thread(this::accept, "echo");
        echo.setDaemon(true);
        echo.start();
        file = new LinksFile(dir.resolve("links"));
        file.make(Map.of(address, "master-1", "127.0.0.1:1", "server-1"));
        links = new Links(file, "server-1");
    }

    @AfterEach
    void close() throws IOException {
        links.close();
        master.close();
    }

    private void accept() {
        while (!master.isClosed()) {
            try {
                Socket accepted = master.accept();
                Thread each = new Thread(() -> echo(accepted), "echo of one");
                each.setDaemon(true);
                each.start();
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void echo(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException broken) {
            // The other end has what it wanted.
        }
    }

    private Socket connected() throws IOException {
        InetSocketAddress via = links.via(address);
        Socket socket = new Socket(via.getAddress(), via.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static int answer(Socket socket, int what) throws IOException {
        socket.getOutputStream().write(what);
        return end(socket);
    }

    /** The next byte; -1 if the connection has ended or broken. */
    private static int end(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read();
        } catch (SocketException broken) {
            return -1;
        }
    }

    @Test
    void onlyOtherProcessesOfTheClusterAreReachedByLinks() {
        assertThat(links.has(address)).isTrue();
        assertThat(links.has("127.0.0.1:1")).as("itself").isFalse();
        assertThat(links.has("127.0.0.1:2")).isFalse();
    }

    @Test
    void nothingPassesACutLinkAndHealingBreaksWhatHangs() throws IOException {
        try (Socket before = connected()) {
            assertThat(answer(before, 1)).isEqualTo(1);

            file.cut("master-1", List.of("server-1"));
            links.look();
            before.getOutputStream().write(2);
            try (Socket during = connected()) {
                during.getOutputStream().write(3);
                file.heal("server-1", List.of("master-1"));
                links.look();

                assertThat(end(before)).as("what was held back never arrives").isEqualTo(-1);
                assertThat(end(during)).isEqualTo(-1);
            }
        }
        try (Socket after = connected()) {
            assertThat(answer(after, 4)).isEqualTo(4);
        }
    }

    @Test
    void aProcessThatStartsOnACutLinkReachesNobody() throws IOException {
        file.cut("server-1", List.of("master-1"));
        links.look();

        try (Socket during = connected()) {
            during.getOutputStream().write(1);
            file.healAll();
            links.look();
            assertThat(end(during)).isEqualTo(-1);
        }
    }

    @Test
    void whileTheFileCannotBeReadLinksStayAsTheyAre() throws IOException {
        try (Socket socket = connected()) {
            Files.writeString(file.file(), "nonsense\n");
            links.look();
            assertThat(answer(socket, 1)).isEqualTo(1);
            file.remove();
            links.look();
            assertThat(answer(socket, 2)).isEqualTo(2);
        }
    }

    @Test
    void whoChangesLinksThatAreNotThereIsToldTheFile() {
        file.remove();

        assertThat(file.cut()).isEmpty();
        assertThatThrownBy(() -> file.cut("server-1", List.of("master-1")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(file.file().toString());
    }
}
