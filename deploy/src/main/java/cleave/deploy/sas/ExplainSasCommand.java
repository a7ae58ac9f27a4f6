package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import cleave.frontend.protocol.auth.Right;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.model.table.AccessPolicy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave sas explain}. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        header = "say what a signature permits, and why the service refuses it",
        description = {
            "Prints each field in words, the string to sign, whether the account's key made the signature, what it permits, and every"
                    + " reason why the service would refuse a request with it; the first is the answer that a client gets. The exit"
                    + " status is 0 if the request would be accepted, else 1. Nothing is sent, except by --ask.",
            "",
            "The protocol, the account, the table and the keys of the request are those of the URL, unless options say otherwise. Without"
                    + " a key, the signature is not checked, but all else is. A signature is a secret until it expires: read it from"
                    + " standard input to keep it out of the shell's history."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave sas explain 'http://127.0.0.1:10002/devstoreaccount1/orders?sv=2019-02-02&tn=orders&...'",
            "  cleave sas explain --account alpha --key-file alpha.key --operation insert - < token",
            "  cleave sas explain 'sv=2019-02-02&tn=orders&si=readers&sig=...' --ask --dir /tmp/c"
        })
final class ExplainSasCommand extends TerminalCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "URL|TOKEN",
            arity = "0..1",
            description = "a URL, a token or a connection string; '-' or nothing: read from standard input")
    private String text = "-";

    @Option(
            names = "--operation",
            paramLabel = "NAME",
            description =
                    "what the request does: query, insert, update, upsert, delete, list-tables, create-table, delete-table,"
                            + " read-service, write-service or access-policies")
    private @Nullable String operation;

    @Option(
            names = "--table",
            paramLabel = "NAME",
            description = "the table of the request (default: as in the URL, or tn)")
    private @Nullable String table;

    @Option(names = "--partition", paramLabel = "KEY", description = "the PartitionKey of the request's entity")
    private @Nullable String partitionKey;

    @Option(names = "--row", paramLabel = "KEY", description = "the RowKey of the request's entity")
    private @Nullable String rowKey;

    @Option(names = "--protocol", paramLabel = "PROTOCOL", description = "http or https")
    private @Nullable String protocol;

    @Option(
            names = "--from",
            paramLabel = "ADDRESS",
            description = "the address that the front end sees the request come from")
    private @Nullable String client;

    @Option(names = "--at", paramLabel = "TIME", description = "when the request is made (default: now)")
    private @Nullable String at;

    @Option(names = "--ask", description = "read the table's stored access policies from the service")
    private boolean ask;

    @Mixin
    private KeySource keys;

    private final InputStream in;

    ExplainSasCommand(Map<String, String> environment, InputStream in) {
        this.keys = new KeySource(environment);
        this.in = in;
    }

    @Override
    public Integer call() {
        Logs.onlyErrors();
        long clock = SasTerms.nowTicks();
        long now = at == null ? clock : TimeText.ticks("--at", at, clock);
        Received received = Received.of(text.equals("-") ? standardInput() : text);
        ResourceAddress address = received.address();
        SasAccount named = keys.named();
        SasAccount account = named != null ? named : KeySource.development();
        String accountName = address == null ? account.name() : address.account();
        boolean isKnown = accountName.equals(account.name());
        if (!isKnown && named != null) {
            throw CommandFailure.usage(
                    "the URL is of account " + accountName + ", the key of account " + account.name());
        }
        QueryString query = received.query();
        String of = tableOf(address, query);
        Judgement.Request request = new Judgement.Request(
                query,
                accountName,
                isKnown ? account.accounts() : null,
                isSecure(received),
                client == null ? assumedClient(query) : client,
                now,
                right(),
                of,
                entity(address),
                ask ? policies(account, isKnown, of) : null);
        Judgement judgement = Judgement.of(request);
        print(new Explanation(request, judgement, client == null).text());
        return judgement.faults().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }

    private String standardInput() {
        try {
            String line = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
            if (line == null || line.isBlank()) {
                throw CommandFailure.usage("standard input has no signature");
            }
            return line;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private boolean isSecure(Received received) {
        if (protocol != null && !protocol.equals("http") && !protocol.equals("https")) {
            throw CommandFailure.usage("--protocol is '" + protocol + "' but must be http or https");
        }
        String scheme = protocol != null ? protocol : received.scheme();
        return !"http".equals(scheme);
    }

    /** One that the signature permits, if it names any. */
    private static String assumedClient(QueryString query) {
        String addresses = query.valueOrNull("sip");
        return addresses == null ? "127.0.0.1" : addresses.split("-", -1)[0];
    }

    private @Nullable Right right() {
        if (operation == null) {
            return null;
        }
        return Arrays.stream(Right.values())
                .filter(right -> Explanation.name(right).equals(operation.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("--operation is '" + operation + "' but must be one of "
                        + Arrays.stream(Right.values()).map(Explanation::name).collect(Collectors.joining(", "))));
    }

    private String tableOf(@Nullable ResourceAddress address, QueryString query) {
        if (table != null) {
            return table;
        }
        Resource resource = address == null ? new Resource.ServiceRoot() : address.resource();
        if (resource instanceof Resource.EntitySet set) {
            return set.table();
        }
        if (resource instanceof Resource.EntityAddress entity) {
            return entity.table();
        }
        String granted = query.valueOrNull("tn");
        return granted == null ? "" : granted;
    }

    private Judgement.@Nullable EntityKeys entity(@Nullable ResourceAddress address) {
        if ((partitionKey == null) != (rowKey == null)) {
            throw CommandFailure.usage("--partition and --row belong together");
        }
        if (partitionKey != null && rowKey != null) {
            return new Judgement.EntityKeys(partitionKey, rowKey);
        }
        return address != null && address.resource() instanceof Resource.EntityAddress entity
                ? new Judgement.EntityKeys(entity.partitionKey(), entity.rowKey())
                : null;
    }

    private static List<AccessPolicy> policies(SasAccount account, boolean isKnown, String table) {
        if (!isKnown) {
            throw CommandFailure.usage("--ask needs the key of the account");
        }
        if (table.isEmpty()) {
            throw CommandFailure.usage("--ask needs a table; give --table");
        }
        return AskedPolicies.of(account.address(), table);
    }
}
