package cleave.client;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One HTTP/2 connection over TLS, on which requests of several threads are under way at once. It is opened by the first request, for which the others wait,
 * and again after it broke. No request is repeated. Thread-safe. Its socket is closed when nobody refers to it any more.
 */
public final class Http2Connection {
    /** Requests at once that a server must be expected to take (RFC 9113, section 6.5.2). */
    public static final int STREAMS_MAX = 100;

    /** What the connection itself says, by name. */
    private static final Set<String> OF_CONNECTION = Set.of("host", "content-length", "connection");

    private final Endpoint endpoint;
    private final Duration patience;
    private final HttpClient client;
    private final ReentrantLock opening = new ReentrantLock();
    private boolean isOpened;

    /**
     * Connects to nobody yet. IllegalArgumentException unless the endpoint is one of https: HTTP/2 is agreed on in TLS' handshake.
     *
     * @param patience for connecting, and for each answer; SocketTimeoutException after that
     */
    public Http2Connection(Endpoint endpoint, Duration patience) {
        if (!endpoint.scheme().equals("https")) {
            throw new IllegalArgumentException(
                    "HTTP/2 is agreed on in the handshake of TLS, but the endpoint is " + endpoint);
        }
        this.endpoint = endpoint;
        this.patience = patience;
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(Version.HTTP_2).connectTimeout(patience);
        this.client = (endpoint.trust() == null ? builder : builder.sslContext(endpoint.trust())).build();
    }

    /** The answer. IOException if there is none, or if the server does not speak HTTP/2. */
    public Answer exchange(Request request) throws IOException {
        opening.lock();
        try {
            if (!isOpened) {
                Answer answer = sent(request);
                isOpened = true;
                return answer;
            }
        } finally {
            opening.unlock();
        }
        return sent(request);
    }

    private Answer sent(Request request) throws IOException {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(endpoint.origin() + request.target()))
                .timeout(patience)
                .method(
                        request.method(),
                        request.body().length == 0
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofByteArray(request.body()));
        for (String line : request.headers()) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon);
            if (!OF_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                builder.header(name, line.substring(colon + 1).trim());
            }
        }
        try {
            return answer(client.send(builder.build(), BodyHandlers.ofByteArray()));
        } catch (HttpTimeoutException silent) {
            SocketTimeoutException told = new SocketTimeoutException(silent.getMessage());
            told.initCause(silent);
            throw told;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for an answer", interrupted);
        }
    }

    private static Answer answer(HttpResponse<byte[]> response) throws IOException {
        if (response.version() != Version.HTTP_2) {
            throw new IOException("the server does not speak HTTP/2: it answered by HTTP/1.1");
        }
        Map<String, String> headers = new HashMap<>();
        response.headers().map().forEach((name, values) -> {
            if (!name.startsWith(":")) {
                headers.put(name.toLowerCase(Locale.ROOT), values.get(values.size() - 1));
            }
        });
        return new Answer(response.statusCode(), headers, response.body());
    }
}
