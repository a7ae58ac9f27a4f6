package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.SignedHttp;
import cleave.deploy.access.TableAccount;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.PrivateFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.http.HttpResponse;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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
public final class ExportCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Mixin
    private AccountOption account = new AccountOption();

    @Mixin
    private Format format = new Format();

    @Option(names = "--table", paramLabel = "NAME", required = true, description = "the table")
    private String table = "";

    @Parameters(paramLabel = "FILE", description = "a file that does not exist yet")
    private Path to = Path.of("");

    private long formulas;

    @Override
    public Integer call() {
        Logs.onlyErrors();
        TableAccount.checkTable(table);
        boolean isCsv = format.isCsv();
        SignedHttp http = account.http();
        long count;
        boolean isWhole = false;
        boolean isOurs = false;
        try (Progress progress = new Progress(spec.commandLine().getErr());
                FileChannel file = PrivateFiles.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                Writer out = writer(file)) {
            isOurs = true;
            count = isCsv ? exportCsv(http, out, progress) : export(http, out::write, progress);
            out.flush();
            isWhole = true;
        } catch (FileAlreadyExistsException exists) {
            throw CommandFailure.usage(to + " exists already; give another name");
        } catch (IOException failed) {
            throw CommandFailure.failed(to + " could not be written: " + FileProblem.text(failed));
        } finally {
            if (isOurs && !isWhole) {
                discard(to); // A partial export looks like a complete one.
            }
        }
        if (formulas > 0) {
            spec.commandLine()
                    .getErr()
                    .println("Warning: " + formulas + " texts in " + to
                            + " begin with =, +, -, @ or white space. A spreadsheet that"
                            + " opens the file takes them for formulas, and formulas can run programs and send data away: import"
                            + " it there with all columns as text.");
        }
        spec.commandLine()
                .getOut()
                .println(count + " entities of table " + table + " are in " + to + ".\n" + account.place(http));
        return ExitCode.OK;
    }

    private static Writer writer(FileChannel file) {
        return new BufferedWriter(Channels.newWriter(file, StandardCharsets.UTF_8));
    }

    private static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failed) {
            throw CommandFailure.failed(
                    "delete " + file + ", which holds a part of the table: " + FileProblem.text(failed));
        }
    }

    /** Reads the table once, because a second reading could show other properties. */
    private long exportCsv(SignedHttp http, Writer out, Progress progress) throws IOException {
        Path spool = to.resolveSibling(to.getFileName() + ".partial");
        CsvSink csv = new CsvSink();
        long count;
        FileChannel made;
        try {
            made = PrivateFiles.open(spool, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException exists) {
            throw CommandFailure.usage(
                    spool + " exists already, and is needed meanwhile; remove it, or give another name");
        }
        try {
            try (FileChannel file = made;
                    Writer lines = writer(file)) {
                count = export(
                        http,
                        line -> {
                            csv.collect(line);
                            lines.write(line);
                        },
                        progress);
            }
            try (Reader lines = Files.newBufferedReader(spool, StandardCharsets.UTF_8)) {
                csv.write(lines, out);
            }
            formulas = csv.formulas();
            return count;
        } finally {
            discard(spool);
        }
    }

    /** Takes an entity's line, with its end. */
    private interface Lines {
        void add(String line) throws IOException;
    }

    private long export(SignedHttp http, Lines out, Progress progress) throws IOException {
        long count = 0;
        @Nullable String token = null;
        do {
            String query = token == null ? "" : "?" + token;
            HttpResponse<byte[]> page = http.send(() -> http.request("/" + table + "()", query)
                    .header("Accept", "application/json;odata=minimalmetadata")
                    .GET());
            SignedHttp.expect(page, 200, "reading table " + table);
            for (String line : EntityLines.ofPage(page.body())) {
                out.add(line + '\n');
                count++;
            }
            progress.show(count + " entities exported");
            token = SignedHttp.token(page);
        } while (token != null);
        return count;
    }
}
