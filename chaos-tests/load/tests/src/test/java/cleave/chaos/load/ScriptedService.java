package cleave.chaos.load;

import cleave.runtime.tls.TestAuthority.Issued;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Answers HTTP requests as a test says, right or wrong, on a port of its own. Thread-safe. */
final class ScriptedService implements AutoCloseable {
    static final String NO_CONTENT = "HTTP/1.1 204 No Content\r\n\r\n";
    static final String BUSY = "HTTP/1.1 503 Server Busy\r\nContent-Length: 0\r\n\r\n";
    /** Closes the connection, as if the process had ended. */
    static final String BROKEN = "";

    /** The body of the answer to a transaction. */
    private static final String DONE = "--b\r\n\r\n" + NO_CONTENT + "--b--";

    private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: (\\d+)\r\n");

    private final String scheme;
    private final ServerSocket listening;
    private final UnaryOperator<String> script;
    private final List<String> requests = new CopyOnWriteArrayList<>();

    /** @param script gives the whole answer to a request line; {@link #BROKEN} to close the connection */
    ScriptedService(UnaryOperator<String> script) throws IOException {
        this("http", ServerSocketFactory.getDefault(), script);
    }

    private ScriptedService(String scheme, ServerSocketFactory sockets, UnaryOperator<String> script)
            throws IOException {
        this.scheme = scheme;
        this.listening = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.script = script;
        start(this::accept);
    }

    /** One that speaks https under this certificate. */
    static ScriptedService secure(Issued issued, UnaryOperator<String> script)
            throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("key", issued.key(), new char[0], new Certificate[] {issued.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return new ScriptedService("https", context.getServerSocketFactory(), script);
    }

    static String json(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** Creates and deletes tables, and accepts transactions; null for other requests. */
    static UnaryOperator<String> filling(UnaryOperator<String> others) {
        return line -> line.startsWith("POST") && line.contains("$batch")
                ? "HTTP/1.1 202 Accepted\r\nContent-Length: " + DONE.length() + "\r\n\r\n" + DONE
                : line.contains("/Tables") ? NO_CONTENT : others.apply(line);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "scripted-service");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (String head = head(in); !head.isEmpty(); head = head(in)) {
                Matcher length = LENGTH.matcher(head);
                in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
                String line = head.lines().findFirst().orElseThrow();
                requests.add(line);
                String answer = script.apply(line);
                if (answer.equals(BROKEN)) {
                    return;
                }
                socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException gone) {
            // The client's business.
        }
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.US_ASCII);
    }

    String url() {
        return String.format(Locale.ROOT, "%s://127.0.0.1:%d", scheme, listening.getLocalPort());
    }

    /** The request lines so far. */
    List<String> requests() {
        return requests;
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
