package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import java.io.InputStream;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code cleave sas}. */
@Command(
        name = "sas",
        mixinStandardHelpOptions = true,
        header = "make and explain shared access signatures",
        customSynopsis = {
            "cleave sas table NAME --permissions LETTERS --expiry TIME [OPTIONS]",
            "cleave sas account --resource-types LETTERS --permissions LETTERS --expiry TIME [OPTIONS]",
            "cleave sas explain [OPTIONS] [URL|TOKEN]"
        },
        description = {
            "A shared access signature permits its bearer some operations for some time, without a key of the account. Signatures are"
                    + " made where the key is, by anybody who has it: the service is not asked, does not know of them, and ends one only"
                    + " by its expiry, by a change of the stored access policy that it names, or by the end of the key.",
            "",
            "The account is named by --account and --key-file, by --dir, by --connection-file, or by the environment variable "
                    + KeySource.VARIABLE + "; otherwise it is the development account at http://127.0.0.1:10002."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave sas table orders --permissions r --expiry 12h",
            "  cleave sas explain --operation insert \"$(cleave sas table orders --permissions r --expiry 12h --print url)\""
        })
public final class SasCommand implements Runnable {
    private SasCommand() {}

    /**
     * The command with its subcommands.
     *
     * @param environment the variables of the process
     * @param in read by {@code explain} if it is given no signature
     */
    public static CommandLine make(Map<String, String> environment, InputStream in) {
        return new CommandLine(new SasCommand())
                .addSubcommand(new AccountSasCommand(environment))
                .addSubcommand(new TableSasCommand(environment))
                .addSubcommand(new ExplainSasCommand(environment, in));
    }

    @Override
    public void run() {
        throw CommandFailure.usage("say what: account, table or explain");
    }
}
