package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.inspect.OperatorAccess;
import cleave.runtime.rpc.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Asks the admin port of one process, over TLS if there are certificates. Confined to one thread. */
final class ProcessClient implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int ERROR_BYTES_MAX = 4 << 10;

    private final String address;
    private final String operator;
    private final Transport transport;
    private final @Nullable SSLContext tls;

    /**
     * @param address {@code host:port}
     * @param transport closed with this
     * @param operator who asks, as {@link OperatorName} says it
     */
    ProcessClient(String address, Transport transport, String operator) {
        this.address = address;
        this.operator = operator;
        this.transport = transport;
        X509ExtendedKeyManager keys = transport.keys();
        X509ExtendedTrustManager trust = transport.trust();
        this.tls = keys == null || trust == null ? null : context(keys, trust);
    }

    private static SSLContext context(KeyManager keys, TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The answer to a GET. */
    String get(String path) {
        return text("GET", path);
    }

    /** The answer to a POST, without a body. */
    String post(String path) {
        return text("POST", path);
    }

    private String text(String method, String path) {
        try (InputStream answer = open(method, path, PATIENCE)) {
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw unreachable(broken);
        }
    }

    /**
     * Copies the answer to a POST; CommandFailure if it does not come whole.
     *
     * @param patience for the first byte, and between two
     * @return the number of bytes
     */
    long copy(String path, OutputStream to, Duration patience) {
        try (InputStream answer = open("POST", path, patience)) {
            return answer.transferTo(to);
        } catch (IOException broken) {
            throw unreachable(broken);
        }
    }

    private InputStream open(String method, String path, Duration patience) throws IOException {
        URI uri = URI.create((tls == null ? "http://" : "https://") + address + path);
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection(Proxy.NO_PROXY);
        if (connection instanceof HttpsURLConnection secure && tls != null) {
            secure.setSSLSocketFactory(tls.getSocketFactory());
        }
        connection.setRequestMethod(method);
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout(CONNECT_MILLIS);
        connection.setReadTimeout(Math.toIntExact(patience.toMillis()));
        connection.setRequestProperty(OperatorAccess.HEADER, operator);
        int status = connection.getResponseCode();
        if (status != HttpURLConnection.HTTP_OK) {
            throw refused(status, connection);
        }
        return connection.getInputStream();
    }

    private CommandFailure refused(int status, HttpURLConnection connection) throws IOException {
        String why = "";
        try (InputStream body = connection.getErrorStream()) {
            why = body == null ? "" : new String(body.readNBytes(ERROR_BYTES_MAX), StandardCharsets.UTF_8).strip();
        }
        String told = address + ": " + (why.isEmpty() ? "status " + status : why);
        return status == HttpURLConnection.HTTP_BAD_REQUEST
                ? CommandFailure.usage(told)
                : CommandFailure.failed(
                        status == HttpURLConnection.HTTP_NOT_FOUND
                                ? told + ". Is this an older version, or not an admin port?"
                                : told);
    }

    private CommandFailure unreachable(IOException broken) {
        if (broken instanceof SocketTimeoutException) {
            return CommandFailure.unreachable(address + ": no answer in time");
        }
        if (broken instanceof SSLException) {
            return CommandFailure.unreachable(address + ": no TLS connection (" + broken.getMessage()
                    + "). Has the process the setting tls, and does its certificate name this address?");
        }
        return CommandFailure.unreachable(address + ": " + broken
                + ". Is this the admin port (admin.listen), and does it take requests from this machine?");
    }

    @Override
    public void close() {
        transport.close();
    }
}
