package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.SignedHttp;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.runtime.files.PrivateFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.net.http.HttpResponse;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
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
        header = "write all entities of a table to a file, as lines of JSON",
        description = {
            "Reads the table page by page over the Table protocol, and writes each entity as one line of OData JSON with the types of"
                    + " its properties, in key order, without Timestamp. Entities that are written meanwhile may be in the file or not."
        },
        footer = {"EXAMPLE", "", "  cleave admin export --table cities cities.jsonl"})
public final class ExportCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Mixin
    private AccountOption account = new AccountOption();

    @Option(names = "--table", paramLabel = "NAME", required = true, description = "the table")
    private String table = "";

    @Parameters(paramLabel = "FILE", description = "a file that does not exist yet")
    private Path to = Path.of("");

    @Override
    public Integer call() {
        Logs.onlyErrors();
        SignedHttp http = account.http();
        long count;
        try (Writer out = new BufferedWriter(Channels.newWriter(
                        PrivateFiles.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        StandardCharsets.UTF_8));
                Progress progress = new Progress(spec.commandLine().getErr())) {
            count = export(http, out, progress);
        } catch (FileAlreadyExistsException exists) {
            throw CommandFailure.usage(to + " exists already; give another name");
        } catch (IOException failed) {
            throw CommandFailure.failed(to + " could not be written: " + failed.getMessage());
        }
        spec.commandLine().getOut().println(count + " entities of table " + table + " are in " + to + ".");
        return ExitCode.OK;
    }

    private long export(SignedHttp http, Writer out, Progress progress) throws IOException {
        long count = 0;
        @Nullable String token = null;
        do {
            String query = token == null ? "" : "?" + token;
            HttpResponse<byte[]> page = http.send(() -> http.request("/" + table + "()", query)
                    .header("Accept", "application/json;odata=minimalmetadata")
                    .GET());
            SignedHttp.expect(page, 200, "reading table " + table);
            for (String line : EntityLines.ofPage(page.body())) {
                out.write(line);
                out.write('\n');
                count++;
            }
            progress.show(count + " entities exported");
            token = SignedHttp.token(page);
        } while (token != null);
        return count;
    }
}
