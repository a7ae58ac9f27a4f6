package cleave.frontend;

import cleave.frontend.core.SignedHeaders;
import cleave.frontend.protocol.auth.Accounts;
import cleave.model.Ticks;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** A client that writes and reads bytes, so that it can be as rude as a test wants. Confined to the test's thread. */
final class RawClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;
    private final InputStream in;

    RawClient(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Over TLS, for example. */
    RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** An answer as it was on the wire. */
    record Answer(String statusLine, int status, Map<String, String> headers, String body) {
        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    /** The head of a signed request of the development account, without the empty line that ends it. */
    static String head(String verb, String target, SignedHeaders more) {
        String whole = "/" + Accounts.DEVELOPMENT_ACCOUNT + target;
        more.with("Host", "127.0.0.1:10002").with("x-ms-version", "2019-02-02");
        if (more.all("Accept").isEmpty()) {
            more.with("Accept", "application/json;odata=nometadata");
        }
        more.signed(whole, Ticks.of(Instant.now()));
        return verb + " " + whole + " HTTP/1.1\r\n" + more.lines();
    }

    static String request(String verb, String target, SignedHeaders more, String body) {
        int length = body.getBytes(StandardCharsets.UTF_8).length;
        String framing = body.isEmpty() ? "" : "Content-Length: " + length + "\r\n";
        return head(verb, target, more) + framing + "\r\n" + body;
    }

    static String request(String verb, String target, String body) {
        return request(verb, target, new SignedHeaders(), body);
    }

    RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    Answer ask(String verb, String target, String body) throws IOException {
        return send(request(verb, target, body)).read();
    }

    /** The next answer. */
    Answer read() throws IOException {
        return read(true);
    }

    /** The next answer, to a HEAD: it has no body, whatever its headers say. */
    Answer readHead() throws IOException {
        return read(false);
    }

    private Answer read(boolean withBody) throws IOException {
        String statusLine = line();
        int status = Integer.parseInt(statusLine.split(" ", 3)[1]);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(line.substring(0, colon), line.substring(colon + 1).trim());
        }
        int length = Integer.parseInt(headers.getOrDefault("Content-Length", "0"));
        byte[] body = withBody ? in.readNBytes(length) : new byte[0];
        return new Answer(statusLine, status, headers, new String(body, StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the server closed the connection after: " + bytes);
            }
            if (b != '\r') {
                bytes.write(b);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Waits until the server closes; true if nothing more came before. */
    boolean endsWithoutAWord() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    /** Waits until the server closes, whatever comes before. */
    void drain() throws IOException {
        try {
            in.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (java.net.SocketException reset) {
            // Closed, too.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
