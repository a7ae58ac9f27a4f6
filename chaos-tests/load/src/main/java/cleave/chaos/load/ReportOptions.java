package cleave.chaos.load;

import cleave.chaos.load.report.HtmlReport;
import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.RateCsv;
import cleave.chaos.load.report.RatePicture;
import cleave.chaos.load.report.Summary;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name the files for the outcome. Confined to the command's thread. */
final class ReportOptions {
    private static final long FREE_BYTES_MIN = 1 << 20;

    @Option(names = "--json", paramLabel = "FILE", description = "writes the summary as JSON, with whole histograms")
    private @Nullable Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "writes one page with charts for a browser, which needs nothing else")
    private @Nullable Path html;

    @Option(
            names = "--picture",
            paramLabel = "FILE",
            description = "writes latency by rate as an SVG, for --steps and --find-rate")
    private @Nullable Path picture;

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "writes rate, outcome and latencies of each step as CSV, for --steps and --find-rate")
    private @Nullable Path csv;

    /** Fails if what shows latency by rate is asked for, which a load at one rate does not have. */
    void requireNoSteps() {
        if (picture != null || csv != null) {
            throw CommandFailure.usage((picture == null ? "--csv" : "--picture")
                    + " shows latency by rate, and needs --steps or --find-rate");
        }
    }

    /** Fails before the load if its outcome could not be written after it. */
    void check() {
        writable(json);
        writable(html);
        writable(picture);
        writable(csv);
    }

    /** Fails if a file could not be written now, so that no result of an hour is lost. */
    static void writable(@Nullable Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || folder == null || !Files.isDirectory(folder)) {
            throw cannotWrite(file, Files.isDirectory(file) ? "it is a folder" : "there is no folder " + folder);
        }
        try {
            probe(file, folder);
        } catch (IOException refused) {
            throw cannotWrite(file, reason(refused));
        }
    }

    private static void probe(Path file, Path folder) throws IOException {
        boolean isNew = !Files.exists(file);
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                .close();
        if (isNew) {
            Files.delete(file);
        }
        long free = Files.getFileStore(folder).getUsableSpace();
        if ((isNew || Files.isRegularFile(file)) && free < FREE_BYTES_MIN) {
            throw cannotWrite(
                    file,
                    "only " + free / 1024 + " KB are free there, but a report needs up to " + FREE_BYTES_MIN / 1024);
        }
    }

    private static CommandFailure cannotWrite(Path file, String why) {
        return CommandFailure.usage("cannot write " + file + ": " + why);
    }

    private static String reason(IOException refused) {
        if (refused instanceof AccessDeniedException) {
            return "access is denied";
        }
        if (refused instanceof NoSuchFileException) {
            return "it cannot be created";
        }
        return refused instanceof FileSystemException of && of.getReason() != null
                ? of.getReason()
                : String.valueOf(refused);
    }

    /** Writes all files, even if one of them fails. */
    void write(Summary summary) {
        List<String> failures = new ArrayList<>();
        if (json != null) {
            write(json, JsonReport.of(summary), failures);
        }
        if (html != null) {
            write(html, HtmlReport.of(summary), failures);
        }
        if (picture != null) {
            write(picture, RatePicture.of(summary), failures);
        }
        if (csv != null) {
            write(csv, RateCsv.of(summary), failures);
        }
        if (!failures.isEmpty()) {
            throw CommandFailure.failed(String.join("; ", failures));
        }
    }

    private static void write(Path file, String text, List<String> failures) {
        try {
            Files.writeString(file, text);
        } catch (IOException failed) {
            failures.add("cannot write " + file + ": " + reason(failed));
        }
    }
}
