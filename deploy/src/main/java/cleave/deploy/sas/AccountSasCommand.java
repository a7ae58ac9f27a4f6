package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave sas account}. */
@Command(
        name = "account",
        mixinStandardHelpOptions = true,
        header = "make a signature for all tables of an account",
        description = {
            "Makes a signature for the Table service of an account. What it permits depends on the letters of both options: c"
                    + " (tables) with l lists tables, with c or w creates them, with d deletes them; o (entities) with r queries, with"
                    + " a inserts, with u updates, with a and u upserts, with d deletes; s (service) with r and w reads and sets the"
                    + " service's properties. No signature permits access policies.",
            "",
            "It cannot be revoked, except by replacing the account's key."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave sas account --resource-types o --permissions r --expiry 12h",
            "  cleave sas account --resource-types co --permissions rdlacu --expiry 2026-05-01 --protocol https --account alpha"
                    + " --key-file alpha.key --endpoint https://alpha.table.example.net"
        })
final class AccountSasCommand extends TerminalCommand implements Callable<Integer> {
    @Option(
            names = "--resource-types",
            paramLabel = "LETTERS",
            required = true,
            description = "s (service), c (tables), o (entities)")
    private String resourceTypes = "";

    @Option(
            names = "--permissions",
            paramLabel = "LETTERS",
            required = true,
            description = "r (read), w (write), d (delete), l (list), a (insert), c (create), u (update)")
    private String permissions = "";

    @Mixin
    private SasTerms terms = new SasTerms();

    @Mixin
    private KeySource keys;

    AccountSasCommand(Map<String, String> environment) {
        keys = new KeySource(environment);
    }

    @Override
    public Integer call() {
        Logs.onlyErrors();
        if (!terms.hasExpiry()) {
            throw CommandFailure.usage("--expiry is needed, for example --expiry 12h");
        }
        SasAccount account = keys.namedOrDevelopment();
        long now = SasTerms.nowTicks();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("ss", "t");
        fields.put("srt", Letters.OF_RESOURCE_TYPES.normalized(resourceTypes));
        fields.put("sp", Letters.OF_ACCOUNT.normalized(permissions));
        terms.addTo(fields, now);
        String token = SasMaker.token(fields, account, null, now);
        err().print(terms.warning(account));
        err().flush();
        print(terms.printed(account, "/", token));
        return ExitCode.OK;
    }
}
