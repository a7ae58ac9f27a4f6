package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.TableAccount;
import cleave.deploy.access.Tables;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that read a table into a file or the other way round. Confined to the command's thread. */
final class TableFileOptions {
    @Mixin
    private AccountOption account = new AccountOption();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "jsonl: lines of JSON; csv: the first line names the columns PartitionKey,RowKey,Name,Name@type,..."
                            + " (default: jsonl)")
    private String format = "jsonl";

    @Option(names = "--table", paramLabel = "NAME", required = true, description = "the table")
    private String table = "";

    String table() {
        TableAccount.checkTable(table);
        return table;
    }

    boolean isCsv() {
        if (!format.equals("csv") && !format.equals("jsonl")) {
            throw CommandFailure.usage("--format is '" + format + "' but must be jsonl or csv");
        }
        return format.equals("csv");
    }

    Tables tables() {
        return account.tables();
    }

    /** The place that a report names: see {@link AccountOption#place}. */
    String place(Tables acted) {
        return account.place(acted);
    }
}
