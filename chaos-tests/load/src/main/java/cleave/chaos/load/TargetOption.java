package cleave.chaos.load;

import cleave.client.Authorities;
import cleave.client.ConnectionString;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.client.Sas;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.ConnectionFile;
import cleave.deploy.access.Deployment;
import cleave.deploy.admin.MastersOption;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options that name the endpoint and the account of a load. Confined to the command's thread. Keys and signatures come from files or the
 * environment, because every user of a machine can read its command lines.
 */
public final class TargetOption {
    /** Holds a connection string. */
    public static final String VARIABLE = "CLEAVE_CONNECTION_STRING";

    private static final String DEFAULT = "http://127.0.0.1:10002";

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "a Table endpoint, for the development account (default: " + DEFAULT + ")")
    private @Nullable URI endpoint;

    @Option(
            names = "--connection-file",
            paramLabel = "FILE",
            description = "file with a connection string (account key or shared access signature), or with the URL of a"
                    + " shared access signature (default: environment variable " + VARIABLE + ")")
    private @Nullable Path connectionFile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description =
                    "PEM file of the authorities whose certificates are believed over https, in place of those that"
                            + " the JVM believes")
    private @Nullable Path authorities;

    @Mixin
    private final MastersOption masters = new MastersOption();

    /** True if any option or the environment says where. */
    boolean isGiven() {
        return endpoint != null || connectionFile != null || masters.isGiven() || System.getenv(VARIABLE) != null;
    }

    /** Whose events are marked in reports; null if no masters were named. */
    @Nullable
    MastersOption masters() {
        return masters.isGiven() ? masters : null;
    }

    Requests requests() {
        return new Requests(believing(target()));
    }

    private Endpoint believing(Endpoint target) {
        if (authorities == null) {
            return target;
        }
        if (!target.scheme().equals("https")) {
            throw CommandFailure.usage("--ca is for https, but the endpoint is " + target);
        }
        try {
            return target.trusting(Authorities.in(authorities));
        } catch (NoSuchFileException none) {
            throw CommandFailure.usage("--ca " + authorities + " does not exist");
        } catch (IOException wrong) {
            throw CommandFailure.usage("--ca: " + wrong.getMessage());
        }
    }

    private Endpoint target() {
        if (endpoint != null && connectionFile != null) {
            throw CommandFailure.usage("--endpoint and --connection-file name two endpoints; give one of them");
        }
        if (endpoint != null) {
            return development(endpoint);
        }
        if (connectionFile != null) {
            return ofFile(connectionFile);
        }
        Deployment found = masters.isGiven() ? masters.deployment() : null;
        if (found != null) {
            return found.tables();
        }
        Endpoint given = ofEnvironment();
        return given == null ? development(URI.create(DEFAULT)) : given;
    }

    private static Endpoint development(URI url) {
        boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
        if (!isHttp || url.getHost() == null || url.getPort() < 0) {
            throw CommandFailure.usage(
                    "--endpoint '" + url + "' is no endpoint; write http://HOST:PORT. For an account of your own"
                            + " give --connection-file");
        }
        return Endpoint.development(url);
    }

    /** The account that the environment names; null: it names none. */
    public static @Nullable Endpoint ofEnvironment() {
        String given = System.getenv(VARIABLE);
        return given == null ? null : parsed(VARIABLE, given);
    }

    /** The only table that a shared access signature is for; empty if there is no such restriction. */
    static String signedTable(Requests requests) {
        return requests.endpoint().credential() instanceof Sas sas ? sas.table() : "";
    }

    /** Ends a command whose load could not be put on an endpoint. */
    static CommandFailure failure(Requests requests, IOException failed) {
        String where = "no load on " + requests.endpoint() + ": ";
        if (failed instanceof UnknownHostException) {
            return CommandFailure.unreachable(where + "unknown host " + failed.getMessage());
        }
        if (failed instanceof SSLHandshakeException) {
            return CommandFailure.failed(
                    where + failed.getMessage() + "; --ca FILE names the authorities whose certificates are believed");
        }
        return isSilence(failed)
                ? CommandFailure.unreachable(where + failed.getMessage())
                : CommandFailure.failed(where + failed.getMessage());
    }

    /** True if nobody answers, and for what was caused by that. */
    public static boolean isSilence(Throwable failed) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketException
                    || cause instanceof SocketTimeoutException
                    || cause instanceof UnknownHostException) {
                return true;
            }
        }
        return false;
    }

    /** The account in a file. */
    public static Endpoint ofFile(Path file) {
        return parsed(file.toString(), ConnectionFile.text(file));
    }

    private static Endpoint parsed(String source, String text) {
        try {
            return ConnectionString.parse(text);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(source + ": " + wrong.getMessage());
        }
    }
}
