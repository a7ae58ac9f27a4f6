package cleave.deploy.backup;

import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.Request;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Tables;
import cleave.deploy.terminal.Progress;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.PrivateFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the entities of a table, page by page, into a file that is new, or there is none. Confined to one thread. */
final class TableExport {
    private final Tables tables;
    private final String table;
    private final Path to;
    private final boolean isCsv;
    private final Pages pages;

    /** The requests for pages, and the further parts of an answer. */
    interface Pages {
        /** An export of all entities, or of none. */
        Pages WHOLE = new Pages() {};

        default Request asked(Request page) {
            return page;
        }

        /** CommandFailure if a page does not answer its request. */
        default void answered(Answer page) throws IOException {}
    }

    TableExport(Tables tables, String table, Path to, boolean isCsv, Pages pages) {
        this.tables = tables;
        this.table = table;
        this.to = to;
        this.isCsv = isCsv;
        this.pages = pages;
    }

    /**
     * Answers the number of entities.
     *
     * @param told shows its progress
     */
    long run(PrintWriter told) {
        boolean isWhole = false;
        boolean isOurs = false;
        try (Progress progress = new Progress(told);
                FileChannel file = created(to);
                Writer out = writer(file)) {
            isOurs = true;
            long count = isCsv ? csv(out, progress, told) : lines(out::write, progress);
            out.flush();
            isWhole = true;
            return count;
        } catch (FileAlreadyExistsException exists) {
            throw CommandFailure.usage(to + " exists already; give another name");
        } catch (IOException failed) {
            throw CommandFailure.failed(to + " could not be written: " + FileProblem.text(failed));
        } finally {
            if (isOurs && !isWhole) {
                discard(to); // A partial export looks like a complete one.
            }
        }
    }

    static FileChannel created(Path file) throws IOException {
        return PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    static Writer writer(FileChannel file) {
        return new BufferedWriter(Channels.newWriter(file, StandardCharsets.UTF_8));
    }

    static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failed) {
            throw CommandFailure.failed(
                    "delete " + file + ", which holds a part of the table: " + FileProblem.text(failed));
        }
    }

    /** Reads the table once, because a second reading could show other properties. */
    private long csv(Writer out, Progress progress, PrintWriter told) throws IOException {
        Path spool = to.resolveSibling(to.getFileName() + ".partial");
        CsvSink csv = new CsvSink();
        long count;
        FileChannel made;
        try {
            made = created(spool);
        } catch (FileAlreadyExistsException exists) {
            throw CommandFailure.usage(
                    spool + " exists already, and is needed meanwhile; remove it, or give another name");
        }
        try {
            try (FileChannel file = made;
                    Writer lines = writer(file)) {
                count = lines(
                        line -> {
                            csv.collect(line);
                            lines.write(line);
                        },
                        progress);
            }
            try (Reader lines = Files.newBufferedReader(spool, StandardCharsets.UTF_8)) {
                csv.write(lines, out);
            }
            if (csv.formulas() > 0) {
                told.println("Warning: " + csv.formulas() + " texts in " + to
                        + " begin with =, +, -, @ or white space. A spreadsheet that opens the file takes them for formulas, and"
                        + " formulas can run programs and send data away: import it there with all columns as text.");
            }
            return count;
        } finally {
            discard(spool);
        }
    }

    /** Takes an entity's line, with its end. */
    private interface Lines {
        void add(String line) throws IOException;
    }

    private long lines(Lines out, Progress progress) throws IOException {
        long count = 0;
        @Nullable Continuation from = null;
        do {
            @Nullable Continuation begin = from;
            Answer page = tables.send(to -> pages.asked(to.query(table, List.of(), begin)));
            if (page.status() == 500 && pages == Pages.WHOLE) {
                throw CommandFailure.failed("reading table " + table + " was answered 500: " + page.text()
                        + "\nIf the DFS holds a file of it damaged, as 'cleave admin ranges' shows,"
                        + " 'cleave admin salvage' writes what can be read, and says what cannot.");
            }
            Tables.expect(page, "reading table " + table);
            pages.answered(page);
            for (String line : EntityLines.ofPage(page.body())) {
                out.add(line + '\n');
                count++;
            }
            progress.show(count + " entities exported");
            from = Continuation.of(page);
        } while (from != null);
        return count;
    }
}
