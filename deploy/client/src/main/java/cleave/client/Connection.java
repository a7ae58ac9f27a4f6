package cleave.client;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One HTTP/1.1 connection: sends bytes, reads answers, no more. Confined to one thread. A broken or silent connection is an
 * IOException, and the outcome of a write that was sent on it is unknown.
 */
public final class Connection implements Closeable {
    private static final int HEAD_BYTES_MAX = 1 << 20;

    private final Socket socket;
    private final String host;
    private final InputStream in;

    private Connection(Socket socket, String host) throws IOException {
        this.socket = socket;
        this.host = host;
        this.in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** @param patience for connecting, and for each read while waiting for an answer */
    public static Connection open(Endpoint endpoint, Duration patience) throws IOException {
        return open(socket(endpoint), endpoint.host(), endpoint.port(), patience);
    }

    public static Connection open(String host, int port, Duration patience) throws IOException {
        return open(new Socket(), host, port, patience);
    }

    private static Socket socket(Endpoint endpoint) throws IOException {
        if (!endpoint.scheme().equals("https")) {
            return new Socket();
        }
        try {
            SSLContext trust = endpoint.trust() == null ? SSLContext.getDefault() : endpoint.trust();
            SSLSocket socket = (SSLSocket) trust.getSocketFactory().createSocket();
            SSLParameters parameters = socket.getSSLParameters();
            // Keys and signatures go to the host that was named, and to no other.
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            return socket;
        } catch (GeneralSecurityException none) {
            throw new IOException(none);
        }
    }

    private static Connection open(Socket socket, String host, int port, Duration patience) throws IOException {
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) patience.toMillis());
            socket.connect(new InetSocketAddress(host, port), (int) patience.toMillis());
            return new Connection(socket, host + ":" + port);
        } catch (IOException refused) {
            socket.close();
            throw refused;
        }
    }

    public Answer exchange(Request request) throws IOException {
        send(request);
        return receive();
    }

    public void send(Request request) throws IOException {
        send(request.toBytes(host));
    }

    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** The next answer of this connection; interim (1xx) answers are skipped. */
    public Answer receive() throws IOException {
        while (true) {
            int status = status(line());
            Map<String, String> headers = headers();
            if (status >= 200) {
                return new Answer(status, headers, body(status, headers));
            }
        }
    }

    private static int status(String line) throws IOException {
        if (!line.startsWith("HTTP/1.") || line.length() < 12) {
            throw new IOException("no status line: " + line);
        }
        try {
            return Integer.parseInt(line.substring(9, 12));
        } catch (NumberFormatException notANumber) {
            throw new IOException("no status line: " + line, notANumber);
        }
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new IOException("no header line: " + line);
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).trim());
        }
        return headers;
    }

    private byte[] body(int status, Map<String, String> headers) throws IOException {
        if (status == 204 || status == 304) {
            return new byte[0];
        }
        if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
            return chunks();
        }
        String length = headers.get("content-length");
        return length == null ? in.readAllBytes() : exactly(length(length, 10));
    }

    private static int length(String text, int radix) throws IOException {
        try {
            int length = Integer.parseInt(text, radix);
            if (length >= 0) {
                return length;
            }
        } catch (NumberFormatException notANumber) {
            // Said below.
        }
        throw new IOException("no length of a body: " + text);
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int bytes = length(line().split(";", 2)[0].trim(), 16);
            body.writeBytes(exactly(bytes));
            if (bytes == 0) {
                headers(); // Trailers.
                return body.toByteArray();
            }
            if (!line().isEmpty()) {
                throw new IOException("a chunk is longer than it says");
            }
        }
    }

    private byte[] exactly(int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("the connection ended after " + read.length + " of " + bytes + " bytes");
        }
        return read;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended after '" + line + "'");
            }
            if (line.size() > HEAD_BYTES_MAX) {
                throw new IOException("an endless header line");
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
