package cleave.chaos.load;

import cleave.chaos.load.report.HtmlReport;
import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.Summary;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say where the outcome goes, besides the terminal. Confined to the command's thread. */
final class ReportOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "writes the summary as JSON, with whole histograms")
    private @Nullable Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "writes one page with charts for a browser, which needs nothing else")
    private @Nullable Path html;

    /** Fails before the load if its outcome could not be written after it. */
    void check() {
        writable(json);
        writable(html);
    }

    /** A folder that lacks is not noticed after an hour of load, but before. */
    static void writable(@Nullable Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || folder == null || !Files.isWritable(folder)) {
            throw CommandFailure.usage("cannot write " + file + ": "
                    + (Files.isDirectory(file) ? "it is a folder" : "there is no writable folder " + folder));
        }
    }

    void write(Summary summary) {
        if (json != null) {
            write(json, JsonReport.of(summary));
        }
        if (html != null) {
            write(html, HtmlReport.of(summary));
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException failed) {
            throw CommandFailure.failed("cannot write " + file + ": " + failed);
        }
    }
}
