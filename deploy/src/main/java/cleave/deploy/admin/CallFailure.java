package cleave.deploy.admin;

import cleave.runtime.rpc.PeerHandshake;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.List;
import javax.net.ssl.SSLException;

/** Why a call to a master failed, in words for operators: what happened at its address, and what to look at. Stateless. */
final class CallFailure {
    /** Words of gRPC about a peer that speaks something else. */
    private static final List<String> NO_HTTP2 =
            List.of("Network closed", "http2", "not SETTINGS", "Connection reset", "end-of-stream");

    private CallFailure() {}

    /** Begins with the address. */
    static String text(String address, StatusRuntimeException failure) {
        return address + ": " + what(failure);
    }

    private static String what(StatusRuntimeException failure) {
        if (PeerHandshake.isRefusal(failure)) {
            return String.valueOf(failure.getStatus().getDescription());
        }
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            String told = String.valueOf(cause.getMessage());
            if (cause instanceof UnknownHostException) {
                return "its name cannot be resolved. Correct the name, or the DNS of this machine";
            }
            if (told.contains("connection timed out") || told.contains("Connection timed out")) {
                return "no connection within the time limit. Is the machine up, and does a firewall or network policy drop packets?";
            }
            if (cause instanceof NoRouteToHostException || told.contains("unreachable")) {
                return "the network has no route there (" + told + ")";
            }
            if (cause instanceof ConnectException) {
                return "connection refused. Is the master running, and is this the port of its gRPC services (master.listen)?";
            }
            if (cause instanceof SSLException) {
                return told.contains("not an SSL/TLS record")
                        ? "it does not speak TLS. Leave out --tls, or correct the address"
                        : "no TLS connection (" + root(cause)
                                + "). Check the certificates in the folder of --tls, and the name in its own";
            }
        }
        return whatByStatus(failure.getStatus());
    }

    private static String whatByStatus(Status status) {
        String told = String.valueOf(status.getDescription());
        if (NO_HTTP2.stream().anyMatch(told::contains)) {
            return "it closed the connection (" + told
                    + "). Does it require TLS (--tls DIR), or is this the port of another service?";
        }
        return switch (status.getCode()) {
            case DEADLINE_EXCEEDED ->
                "no answer in time. Is the process stopped or overloaded, or can its name not be resolved?";
            case PERMISSION_DENIED, UNAUTHENTICATED ->
                told + ". This command needs a certificate of role admin (--tls DIR)";
            case UNIMPLEMENTED -> "it is no master: it does not know this call. Is this the port of another service?";
            case UNAVAILABLE -> told;
            default -> status.getCode() + ": " + told;
        };
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
