package cleave.chaos.sim;

import cleave.chaos.sim.film.Exports;
import cleave.chaos.sim.film.Film;
import cleave.chaos.sim.film.FilmPage;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say what one run is written as: a page, and files for other tools. */
final class Outputs {
    private static final String PRINTED = "";

    @Option(
            names = "--film",
            paramLabel = "FILE",
            description =
                    "write a page that plays the seed or the scenario, with a planted bug beside the right run; any browser shows it;"
                            + " with --scenario all, a folder with a page of each")
    private @Nullable Path film;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            arity = "0..1",
            fallbackValue = PRINTED,
            description =
                    "print every event; or, with a FILE, write them as Chrome's trace JSON, which ui.perfetto.dev opens")
    private @Nullable String trace;

    @Option(
            names = "--shiviz",
            paramLabel = "FILE",
            description = "write the messages as a log with vector clocks, which ShiViz draws")
    private @Nullable Path shiViz;

    @Option(
            names = "--mermaid",
            paramLabel = "FILE",
            description = "write a sequence diagram for Mermaid, if the run is short enough for one")
    private @Nullable Path mermaid;

    @Option(
            names = "--history",
            paramLabel = "FILE",
            description =
                    "write the clients' operations for another checker: as EDN for Jepsen and Elle if the name ends in .edn,"
                            + " else as Porcupine's tests read them")
    private @Nullable Path history;

    /** Events are printed as they happen. */
    boolean isPrinted() {
        return PRINTED.equals(trace);
    }

    /** A file is to be written. */
    boolean isAnyFile() {
        return film != null || isAnyExport();
    }

    private boolean isAnyExport() {
        return (trace != null && !isPrinted()) || shiViz != null || mermaid != null || history != null;
    }

    /** The folder for the films of all scenarios. */
    Path folder() {
        if (film == null || isAnyExport()) {
            throw CommandFailure.usage("--scenario all writes films (--film DIR), and nothing else");
        }
        try {
            return Files.createDirectories(film);
        } catch (IOException failed) {
            throw CommandFailure.failed("there is no folder for films at " + film + ": " + failed);
        }
    }

    /** Writes what is wanted of the last film; the page shows all of them beside each other. */
    void write(PrintWriter out, String title, String about, List<Film> films) {
        Film last = films.get(films.size() - 1);
        page(out, film, title, about, films);
        write(out, "trace", trace == null || isPrinted() ? null : Path.of(trace), file -> Exports.trace(file, last));
        write(out, "log with vector clocks", shiViz, file -> Exports.shiViz(file, last));
        write(out, "diagram", mermaid, file -> Exports.mermaid(file, last));
        write(out, "history", history, file -> Exports.history(file, last));
        out.flush();
    }

    /** Writes a page that plays films beside each other; no file for none. */
    static void page(PrintWriter out, @Nullable Path file, String title, String about, List<Film> films) {
        write(out, "film", file, page -> FilmPage.write(page, title, about, films));
        out.flush();
    }

    private interface Writing {
        void to(Path file) throws IOException;
    }

    private static void write(PrintWriter out, String what, @Nullable Path file, Writing writing) {
        if (file == null) {
            return;
        }
        try {
            writing.to(file);
        } catch (IOException failed) {
            throw CommandFailure.failed("the " + what + " cannot be written to " + file + ": " + failed);
        } catch (IllegalArgumentException refused) {
            throw CommandFailure.failed(refused.getMessage() + "; --film shows runs of any length");
        }
        out.println("The " + what + " is in " + file);
    }
}
