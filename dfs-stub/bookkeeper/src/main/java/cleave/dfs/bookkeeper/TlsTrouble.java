package cleave.dfs.bookkeeper;

import static java.nio.charset.StandardCharsets.US_ASCII;

import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Transport;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

/** Finds why ZooKeeper or a bookie cannot be reached as the settings say; their clients report only that they cannot. Stateless. */
final class TlsTrouble {
    private static final int PATIENCE_MILLIS =
            Math.toIntExact(Duration.ofSeconds(2).toMillis());
    private static final byte[] QUESTION = "srvr".getBytes(US_ASCII);

    private TlsTrouble() {}

    /** The trouble with each ZooKeeper server, as far as it can be found. Blocks for some seconds at most for each. */
    static String ofZooKeeper(List<String> servers, Transport transport) {
        return servers.stream()
                .map(server -> server + ": " + of(server, transport))
                .collect(Collectors.joining("; "));
    }

    private static String of(String server, Transport transport) {
        Address address = Address.parse(server);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.name(), address.port()), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            return transport.keys() == null ? ofClear(socket) : ofSecure(socket, address, transport);
        } catch (IOException failed) {
            return failed.getMessage() == null ? failed.toString() : failed.getMessage();
        }
    }

    private static String ofClear(Socket socket) throws IOException {
        try {
            if (answers(socket)) {
                return "it answers, but opens no session";
            }
        } catch (SocketTimeoutException silent) {
            // One that takes TLS alone waits for the rest of a greeting.
        }
        return "it does not answer: does it take TLS alone, while setting tls is not given or the URI says clear=true?";
    }

    private static String ofSecure(Socket socket, Address address, Transport transport) throws IOException {
        try (SSLSocket secure = (SSLSocket)
                context(transport).getSocketFactory().createSocket(socket, address.name(), address.port(), false)) {
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setProtocols(Transport.PROTOCOLS.toArray(String[]::new));
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            try {
                secure.startHandshake();
            } catch (SSLException failed) {
                return text(failed);
            }
            try {
                return answers(secure)
                        ? "TLS works, but it opens no session"
                        : "it ends the connection: it may not trust the certificate of this process";
            } catch (SSLException refused) {
                return "it refuses the certificate of this process: " + refused.getMessage();
            }
        }
    }

    private static SSLContext context(Transport transport) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {Objects.requireNonNull(transport.keys())},
                    new TrustManager[] {Objects.requireNonNull(transport.trust())},
                    null);
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static boolean answers(Socket socket) throws IOException {
        socket.getOutputStream().write(QUESTION);
        socket.getOutputStream().flush();
        return socket.getInputStream().read() >= 0;
    }

    /** The meaning of a failed handshake for the operator. */
    static String text(Throwable failure) {
        Throwable cause = failure;
        while (true) {
            if (cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException) {
                return "its certificate is not issued by an authority in this process' ca.crt, or is out of date";
            }
            Throwable inner = cause.getCause();
            if (inner == null || inner == cause) {
                break;
            }
            cause = inner;
        }
        String message = String.valueOf(failure.getMessage());
        if (cause instanceof EOFException || message.contains("Unsupported or unrecognized SSL message")) {
            return "it does not speak TLS there: give the port that does, or say clear=true in the URI";
        }
        if (failure instanceof SSLHandshakeException && message.startsWith("Received fatal alert")) {
            return "it refuses the certificate of this process: " + message;
        }
        return message;
    }
}
