package cleave.deploy.backup;

import cleave.client.Answer;
import cleave.client.Request;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.Tables;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import cleave.runtime.files.FileProblem;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cleave admin salvage}. */
@Command(
        name = "salvage",
        mixinStandardHelpOptions = true,
        header = "write to a file what can be read of a table in damaged files, and say what cannot",
        description = {
            "Reads the table as export does, but passes over what cannot be read because the DFS holds a file damaged. Where that is goes"
                    + " to FILE.unreadable, one interval of keys a line, for example {\"after\":[\"de\",\"0041\"],\"through\":[\"de\",\"0107\"]}:"
                    + " the PartitionKey and RowKey after which it begins (or from which) and through which it goes on (or before which it"
                    + " ends); what is left out is the beginning or the end of the table. Of what was stored in the intervals, FILE has what"
                    + " could be read all the same.",
            "",
            "It ends with status 1 if anything was passed over, for FILE is then a part of the table; and with 0, and without"
                    + " FILE.unreadable, if it is whole."
        },
        footer = {"EXAMPLES", "", "  cleave admin salvage --table cities cities.jsonl"})
public final class SalvageCommand extends TerminalCommand implements Callable<Integer> {
    @Mixin
    private TableFileOptions options = new TableFileOptions();

    @Parameters(paramLabel = "FILE", description = "a file that does not exist yet; nor does FILE.unreadable")
    private Path to = Path.of("");

    @Override
    public Integer call() {
        Logs.onlyErrors();
        String table = options.table();
        boolean isCsv = options.isCsv();
        Path untold = to.resolveSibling(to.getFileName() + ".unreadable");
        boolean isOurs = false;
        boolean stays = false;
        try (Tables tables = options.tables();
                FileChannel file = TableExport.created(untold);
                Writer out = TableExport.writer(file)) {
            isOurs = true;
            UnreadableKeys unreadable = new UnreadableKeys(out);
            long entities = new TableExport(tables, table, to, isCsv, passingOver(tables, unreadable)).run(err());
            stays = unreadable.end() > 0;
            if (stays) {
                throw CommandFailure.failed(
                        onlyAPart(table, entities, unreadable, untold) + "\n" + options.place(tables));
            }
            say("All " + entities + " entities of table " + table + " could be read; they are in " + to + ".\n"
                    + options.place(tables));
            return ExitCode.OK;
        } catch (FileAlreadyExistsException exists) {
            throw CommandFailure.usage(untold + " exists already; give another name");
        } catch (IOException failed) {
            TableExport.discard(to); // It does not show what it lacks.
            throw CommandFailure.failed(untold + " could not be written: " + FileProblem.text(failed));
        } finally {
            if (isOurs && !stays) {
                TableExport.discard(untold);
            }
        }
    }

    private static TableExport.Pages passingOver(Tables tables, UnreadableKeys unreadable) {
        return new TableExport.Pages() {
            @Override
            public Request asked(Request page) {
                return page.with("x-cleave-salvage", "true");
            }

            @Override
            public void answered(Answer page) throws IOException {
                String keys = page.headers().get("x-cleave-unreadable");
                if (keys == null) {
                    throw UnreadableKeys.unknown(tables.url());
                }
                unreadable.add(keys);
            }
        };
    }

    private String onlyAPart(String table, long entities, UnreadableKeys unreadable, Path untold) {
        return "Only a PART of table " + table + " could be read: " + entities + " entities are in " + to
                + ". What else there was is missing; its keys lie in these intervals, which are in " + untold + ":\n"
                + unreadable.shown();
    }
}
