package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.TableAccount;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import cleave.model.table.AccessPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave sas table}. */
@Command(
        name = "table",
        mixinStandardHelpOptions = true,
        header = "make a signature for entities of one table",
        description = {
            "Makes a signature that permits operations on the entities of one table, or on those within a range of keys. Both ends of"
                    + " the range are inclusive; queries are restricted to it. An upsert needs the letters a and u.",
            "",
            "With --policy, what the signature leaves out comes from a stored access policy of the table, which can be changed or removed"
                    + " later; what the policy defines must be left out. --ask reads the policies from the service and checks this."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave sas table orders --permissions r --expiry 12h",
            "  cleave sas table orders --permissions raud --expiry 7d --start-partition c17 --end-partition c17",
            "  cleave sas table orders --policy readers --ask --dir /tmp/c"
        })
final class TableSasCommand extends TerminalCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "the table")
    private String table = "";

    @Option(
            names = "--permissions",
            paramLabel = "LETTERS",
            description = "r (query), a (insert), u (update), d (delete)")
    private @Nullable String permissions;

    @Option(names = "--policy", paramLabel = "ID", description = "a stored access policy of the table")
    private @Nullable String policy;

    @Option(names = "--ask", description = "check the fields against the policy, as the service has it now")
    private boolean ask;

    @Option(names = "--start-partition", paramLabel = "KEY", description = "the first PartitionKey (default: any)")
    private @Nullable String startPartition;

    @Option(names = "--start-row", paramLabel = "KEY", description = "the first RowKey in the first partition")
    private @Nullable String startRow;

    @Option(names = "--end-partition", paramLabel = "KEY", description = "the last PartitionKey (default: any)")
    private @Nullable String endPartition;

    @Option(names = "--end-row", paramLabel = "KEY", description = "the last RowKey in the last partition")
    private @Nullable String endRow;

    @Mixin
    private SasTerms terms = new SasTerms();

    @Mixin
    private KeySource keys;

    TableSasCommand(Map<String, String> environment) {
        keys = new KeySource(environment);
    }

    @Override
    public Integer call() {
        Logs.onlyErrors();
        check();
        SasAccount account = keys.namedOrDevelopment();
        long now = SasTerms.nowTicks();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("tn", table);
        terms.addTo(fields, now);
        add(fields, "si", policy);
        add(fields, "sp", permissions == null ? null : Letters.OF_TABLE.normalized(permissions));
        add(fields, "spk", startPartition);
        add(fields, "srk", startRow);
        add(fields, "epk", endPartition);
        add(fields, "erk", endRow);
        List<AccessPolicy> policies = ask ? AskedPolicies.of(account.address(), table) : null;
        String token = SasMaker.token(fields, account, policies, now);
        err().print(terms.warning(account));
        err().flush();
        print(terms.printed(account, "/" + table, token));
        return ExitCode.OK;
    }

    private void check() {
        TableAccount.checkTable(table);
        if (policy == null && (permissions == null || !terms.hasExpiry())) {
            throw CommandFailure.usage("--permissions and --expiry are needed, unless a --policy defines them");
        }
        if (policy != null && policy.isEmpty()) {
            throw CommandFailure.usage("--policy is empty");
        }
        if (ask && policy == null) {
            throw CommandFailure.usage("--ask belongs to --policy");
        }
        if ((startRow != null && startPartition == null) || (endRow != null && endPartition == null)) {
            throw CommandFailure.usage("--start-row needs --start-partition, and --end-row needs --end-partition");
        }
    }

    private static void add(Map<String, String> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.put(name, value);
        }
    }
}
