package cleave.deploy.backup;

import cleave.client.Answer;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.Tables;
import cleave.deploy.backup.EntityReader.BadEntity;
import cleave.deploy.backup.EntityReader.Entry;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import cleave.runtime.files.FileProblem;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave admin import}. */
@Command(
        name = "import",
        mixinStandardHelpOptions = true,
        header = "write entities from a file, as export made it, into a table",
        description = {
            "Each line, or record of CSV, is one entity. It is inserted, or replaces the one with its key; so an import that was interrupted may be run"
                    + " again, from the beginning or from a line. Neighbouring lines of one partition go into one transaction. The"
                    + " table is created if it is not there.",
            "",
            "The first line of CSV names the columns: PartitionKey, RowKey, and for each property its name and its name followed by @type,"
                    + " for the type of each value, such as Edm.Int32. A value without a type is a string, or missing if"
                    + " it is empty. Columns Timestamp and etag are ignored."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave admin import --table cities cities.jsonl",
            "  cleave admin import --table cities --format csv cities.csv"
        })
public final class ImportCommand extends TerminalCommand implements Callable<Integer> {
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    @Mixin
    private TableFileOptions options = new TableFileOptions();

    @Option(names = "--from", paramLabel = "LINE", description = "the first line to import (default: 1)")
    private long from = 1;

    @Parameters(paramLabel = "FILE", description = "the file")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        Logs.onlyErrors();
        if (from < 1) {
            throw CommandFailure.usage("--from is " + from + " but must be 1 or more");
        }
        String table = options.table();
        boolean isCsv = options.isCsv();
        long lines;
        String place;
        try (Tables tables = options.tables();
                Reader in = opened(file);
                Progress progress = progress()) {
            EntityReader entities = isCsv ? new CsvEntityReader(in) : new JsonEntityReader(in);
            tables.create(table);
            lines = new Import(tables, table, progress).run(entities);
            place = options.place(tables);
        } catch (BadEntity header) {
            throw CommandFailure.failed(
                    "line " + header.line() + " of " + file + ": " + header.getMessage() + ". Nothing was imported");
        } catch (IOException failed) {
            throw CommandFailure.failed(file + " cannot be read: " + FileProblem.text(failed));
        }
        say("Lines " + from + " to " + lines + " of " + file + " are in table " + table + ".\n" + place);
        return ExitCode.OK;
    }

    /** Skips the byte order mark that some programs write. */
    private static Reader opened(Path file) throws IOException {
        BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8);
        in.mark(1);
        if (in.read() != BYTE_ORDER_MARK) {
            in.reset();
        }
        return in;
    }

    /** One import of the file. */
    private final class Import {
        private final Tables tables;
        private final String table;
        private final Progress progress;
        private EntityGroup open = new EntityGroup();

        Import(Tables tables, String table, Progress progress) {
            this.tables = tables;
            this.table = table;
            this.progress = progress;
        }

        /** Returns the line on which the last entity begins. */
        long run(EntityReader entities) throws IOException {
            long line = 0;
            for (@Nullable Entry entry = next(entities); entry != null; entry = next(entities)) {
                line = entry.line();
                if (line < from) {
                    continue;
                }
                EntityLines.Keys keys = keys(entry);
                if (!open.takes(keys, entry)) {
                    send();
                }
                open.add(keys, entry);
            }
            send();
            return line;
        }

        private @Nullable Entry next(EntityReader entities) throws IOException {
            try {
                return entities.next();
            } catch (BadEntity bad) {
                throw wrong(bad.line(), String.valueOf(bad.getMessage()));
            }
        }

        private EntityLines.Keys keys(Entry entry) {
            try {
                return EntityLines.keys(entry.json());
            } catch (IOException malformed) {
                throw wrong(
                        entry.line(),
                        String.valueOf(malformed.getMessage())
                                .lines()
                                .findFirst()
                                .orElse(""));
            }
        }

        private CommandFailure wrong(long number, String why) {
            send();
            return CommandFailure.failed("line " + number + " of " + file + " is no entity: " + why
                    + ". All lines before it are imported; correct it, and go on with --from " + number);
        }

        private void send() {
            if (open.isEmpty()) {
                return;
            }
            EntityGroup group = open;
            Answer answer = tables.send(to -> group.request(to, table));
            List<Entry> entries = group.entries();
            if (!answer.isCommitted()) {
                throw refused(answer, entries);
            }
            open = new EntityGroup();
            progress.show(entries.get(entries.size() - 1).line() + " lines imported");
        }

        private CommandFailure refused(Answer answer, List<Entry> entries) {
            long firstLine = entries.get(0).line();
            long lastLine = entries.get(entries.size() - 1).line();
            int number = answer.refusedOperation();
            String which = number >= 0 && number < entries.size()
                    ? "line " + entries.get(number).line() + " of " + file
                    : "one of the lines " + firstLine + " to " + lastLine + " of " + file;
            return CommandFailure.failed(which + " was refused: " + answer.problem()
                    + (entries.size() == 1
                            ? ""
                            : "\nThe transaction of lines " + firstLine + " to " + lastLine + " was refused with it.")
                    + "\nAll lines before line " + firstLine + " are imported; correct it, and go on with --from "
                    + firstLine);
        }
    }
}
