package cleave.chaos.conformance.golden;

import cleave.chaos.system.Folders;
import cleave.exchanges.Scene;
import cleave.exchanges.TokenIssuer;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** The files of a front end of the scenes: accounts, the keys of an issuer of tokens, a certificate. Thread-safe. */
final class ServerFiles {
    static final Path EXCHANGES = Path.of("..", "..", "front-end", "testing", "exchanges");

    private final Map<String, String> settings;
    private final SSLContext believing;

    private ServerFiles(Map<String, String> settings, SSLContext believing) {
        this.settings = Map.copyOf(settings);
        this.believing = believing;
    }

    static ServerFiles in(Path folder, List<Scene> scenes) {
        Issued issued = Certificate.ISSUED;
        Path tls = TestAuthority.write(folder.resolve("tls"), issued);
        Map<String, String> settings = Map.of(
                // Each loop remembers policies and properties for a while: what one exchange changes, the next one is
                // to see.
                "front-end.loops", "1",
                "front-end.accounts", write(folder.resolve("accounts"), Scene.accountsFile(scenes)),
                "front-end.token-issuers", TokenIssuer.NAME,
                "front-end.token-keys",
                        write(
                                folder.resolve("keys.json"),
                                List.of(TokenIssuer.keys().toString())),
                "front-end.tls-dir", tls.toString());
        return new ServerFiles(settings, TestAuthority.believing(issued));
    }

    /** Made once: it takes a while. */
    private static final class Certificate {
        static final Issued ISSUED = new TestAuthority(Folders.fresh("golden-authority")).issue("front-end");
    }

    /** The settings of the front end, but for where it listens. */
    Map<String, String> settings() {
        return settings;
    }

    /** A connection to a port of this machine. */
    Socket connect(int port, boolean secure) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        return secure ? believing.getSocketFactory().createSocket(here, port) : new Socket(here, port);
    }

    private static String write(Path file, List<String> lines) {
        try {
            return Files.write(file, lines).toString();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
