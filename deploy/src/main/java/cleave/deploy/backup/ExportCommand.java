package cleave.deploy.backup;

import cleave.deploy.ExitCode;
import cleave.deploy.access.Tables;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cleave admin export}. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        header = "write all entities of a table to a file, as lines of JSON or CSV",
        description = {
            "Reads the table page by page over the Table protocol, and writes each entity as one line of OData JSON with the types of"
                    + " its properties, in key order, without Timestamp. Entities that are written meanwhile may be in the file or not.",
            "",
            "With --format csv the first line names the columns: the keys, and of each property its name and its type, which is empty"
                    + " where an entity does not have the property. All names are known only at the end, so the lines of JSON"
                    + " are first kept beside the file, which takes as much space again."
                    + " Texts are written as they are: a spreadsheet takes those that begin with =, +, - or @ for formulas, so import"
                    + " the file there with all columns as text."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave admin export --table cities cities.jsonl",
            "  cleave admin export --table cities --format csv cities.csv"
        })
public final class ExportCommand extends TerminalCommand implements Callable<Integer> {
    @Mixin
    private TableFileOptions options = new TableFileOptions();

    @Parameters(paramLabel = "FILE", description = "a file that does not exist yet")
    private Path to = Path.of("");

    @Override
    public Integer call() {
        Logs.onlyErrors();
        String table = options.table();
        boolean isCsv = options.isCsv();
        try (Tables tables = options.tables()) {
            long count = new TableExport(tables, table, to, isCsv, TableExport.Pages.WHOLE).run(err());
            say(count + " entities of table " + table + " are in " + to + ".\n" + options.place(tables));
            return ExitCode.OK;
        }
    }
}
