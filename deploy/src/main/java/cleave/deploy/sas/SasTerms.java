package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import cleave.model.Ticks;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that both kinds of signatures have. Confined to the command's thread. */
final class SasTerms {
    @Option(
            names = "--start",
            paramLabel = "TIME",
            description = "when it begins to be valid, like --expiry (default: at once)")
    private @Nullable String start;

    @Option(
            names = "--expiry",
            paramLabel = "TIME",
            description = "when it ends: 2026-05-01T08:00:00Z, a date, or a time from now such as 90m, 12h or 7d")
    private @Nullable String expiry;

    @Option(
            names = "--ip",
            paramLabel = "ADDRESS[-ADDRESS]",
            description = "the IPv4 address, or the range of them, that requests may come from (default: any)")
    private @Nullable String addresses;

    @Option(names = "--protocol", paramLabel = "PROTOCOL", description = "https, or https,http (the default)")
    private @Nullable String protocol;

    @Option(
            names = "--service-version",
            paramLabel = "DATE",
            description = "the protocol's version, sv (default: 2019-02-02)")
    private String version = "2019-02-02";

    @Option(
            names = "--print",
            paramLabel = "FORM",
            description = "print one form alone, for scripts: token, url or connection-string")
    private @Nullable String form;

    boolean hasExpiry() {
        return expiry != null;
    }

    static long nowTicks() {
        return Ticks.of(Instant.now());
    }

    /** Adds the fields that the options give. */
    void addTo(Map<String, String> fields, long nowTicks) {
        fields.put("sv", version);
        Long from = start == null ? null : (Long) TimeText.ticks("--start", start, nowTicks);
        Long to = expiry == null ? null : (Long) TimeText.ticks("--expiry", expiry, nowTicks);
        if (to != null && to <= nowTicks) {
            throw CommandFailure.usage("--expiry, " + TimeText.signed(to) + ", is in the past");
        }
        if (from != null && to != null && to <= from) {
            throw CommandFailure.usage(
                    "--expiry, " + TimeText.signed(to) + ", must be after --start, " + TimeText.signed(from));
        }
        if (from != null) {
            fields.put("st", TimeText.signed(from));
        }
        if (to != null) {
            fields.put("se", TimeText.signed(to));
        }
        if (addresses != null) {
            fields.put("sip", addresses);
        }
        if (protocol != null) {
            if (!protocol.equals("https") && !protocol.equals("https,http")) {
                throw CommandFailure.usage("--protocol is '" + protocol + "' but must be https or https,http");
            }
            fields.put("spr", protocol);
        }
    }

    /** A warning of a use that the result is not fit for, though it is right; empty if there is none. */
    String warning(SasAccount account) {
        return "https".equals(protocol) && "http".equals(account.address().scheme())
                ? "cleave sas: the endpoint " + account.address().url()
                        + " is http, and the signature permits https alone\n"
                : "";
    }

    /**
     * The token as text for the terminal.
     *
     * @param path of the URL below the account's address
     */
    String printed(SasAccount account, String path, String token) {
        String url = account.address().url() + path + "?" + token;
        String connection = "TableEndpoint=" + account.address().url() + ";SharedAccessSignature=" + token;
        if (form == null) {
            return "account            " + account.name() + "\ntoken              " + token + "\nURL                "
                    + url + "\nconnection string  " + connection + "\n";
        }
        return switch (form) {
                    case "token" -> token;
                    case "url" -> url;
                    case "connection-string" -> connection;
                    default ->
                        throw CommandFailure.usage(
                                "--print is '" + form + "' but must be token, url or connection-string");
                }
                + "\n";
    }
}
