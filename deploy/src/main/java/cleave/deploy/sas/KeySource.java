package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.ConnectionFile;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name the account and the source of its key. Confined to the command's thread. */
final class KeySource {
    static final String VARIABLE = "CLEAVE_CONNECTION_STRING";

    private static final String DEFAULT_ENDPOINT = "http://127.0.0.1:10002";

    @Option(names = "--account", paramLabel = "NAME", description = "the account; needs --key-file")
    private @Nullable String account;

    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            description =
                    "a file that contains the account's key in base64, or lines NAME=KEY as front-end.accounts does")
    private @Nullable Path keyFile;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "where the service of --account is (default: " + DEFAULT_ENDPOINT + ")")
    private @Nullable String endpoint;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "the account in the folder of a standalone or cluster on this machine")
    private @Nullable Path dir;

    @Option(
            names = "--connection-file",
            paramLabel = "FILE",
            description =
                    "a file with a connection string as for the SDKs (default: environment variable " + VARIABLE + ")")
    private @Nullable Path connectionFile;

    private final Map<String, String> environment;

    KeySource(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * The account that is named; null if none is, so that the development account is meant. A shared access signature in the environment names
     * none, because other commands use it.
     */
    @Nullable
    SasAccount named() {
        String text = environment.getOrDefault(VARIABLE, "");
        return isNamedByOption() || !TableAccount.isSignature(text) ? found() : null;
    }

    /** The account that signs; CommandFailure if there is only a shared access signature. */
    SasAccount namedOrDevelopment() {
        SasAccount found = found();
        return found == null ? development() : found;
    }

    private boolean isNamedByOption() {
        return account != null || dir != null || connectionFile != null;
    }

    private @Nullable SasAccount found() {
        long sources =
                Stream.of(account, dir, connectionFile).filter(Objects::nonNull).count();
        if (sources > 1) {
            throw CommandFailure.usage("--account, --dir and --connection-file exclude one another");
        }
        if ((account == null) != (keyFile == null)) {
            throw CommandFailure.usage("--account and --key-file belong together");
        }
        if (endpoint != null && account == null) {
            throw CommandFailure.usage("--endpoint belongs to --account and --key-file");
        }
        if (account != null && keyFile != null) {
            return ofFile(account, keyFile, endpoint == null ? DEFAULT_ENDPOINT : endpoint);
        }
        if (dir != null) {
            Deployment found = Deployment.load(dir);
            return SasAccount.of(found.tables());
        }
        if (connectionFile != null) {
            return SasAccount.of(ConnectionFile.account(connectionFile));
        }
        String text = environment.getOrDefault(VARIABLE, "");
        return text.isBlank() ? null : SasAccount.of(ConnectionFile.account(VARIABLE, text));
    }

    /** The account that every SDK knows, where standalone listens. */
    static SasAccount development() {
        return SasAccount.of(TableAccount.development(DEFAULT_ENDPOINT));
    }

    private static SasAccount ofFile(String name, Path file, String endpoint) {
        List<String> lines = lines(file);
        List<String> own = lines.stream()
                .filter(line -> line.startsWith(name + "=") || line.startsWith(name + "."))
                .toList();
        if (own.isEmpty() && lines.size() == 1) {
            return SasAccount.of(TableAccount.at(endpoint, name, lines.get(0)));
        }
        String key = own.stream()
                .filter(line -> line.startsWith(name + "="))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage(
                        file + " has neither one line, the key in base64, nor a line " + name + "=KEY"))
                .substring(name.length() + 1)
                .strip();
        return new SasAccount(TableAccount.at(endpoint, name, key), SasAccount.parsed(own));
    }

    private static List<String> lines(Path file) {
        return ConnectionFile.text(file)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }
}
