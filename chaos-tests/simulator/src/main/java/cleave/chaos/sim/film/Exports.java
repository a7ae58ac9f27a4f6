package cleave.chaos.sim.film;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What other tools read of a run: files made of the same record as its page. Stateless. */
public final class Exports {
    private Exports() {}

    private interface Body {
        void write(Writer out) throws IOException;
    }

    private static void write(Path file, Body body) throws IOException {
        try (Writer out = Files.newBufferedWriter(file, UTF_8)) {
            body.write(out);
        }
    }

    /** For Perfetto and Chrome. */
    public static void trace(Path file, Film film) throws IOException {
        write(file, out -> ChromeTrace.write(film, out));
    }

    /** A log with vector clocks. */
    public static void shiViz(Path file, Film film) throws IOException {
        write(file, out -> ShiViz.write(film, out));
    }

    /** A sequence diagram; an IllegalArgumentException says that the run is too long for one. */
    public static void mermaid(Path file, Film film) throws IOException {
        String diagram = Mermaid.of(film);
        if (diagram.length() > Mermaid.CHARACTERS_MAX) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "the diagram would have %,d lines and %,d characters, and Mermaid draws no more than %,d characters",
                    diagram.lines().count(),
                    diagram.length(),
                    Mermaid.CHARACTERS_MAX));
        }
        write(file, out -> out.write(diagram));
    }

    /** The clients' operations: EDN if the name ends so, else the text of Porcupine's tests. */
    public static void history(Path file, Film film) throws IOException {
        boolean isEdn = file.toString().toLowerCase(Locale.ROOT).endsWith(".edn");
        write(file, out -> {
            if (isEdn) {
                HistoryFile.writeEdn(film.operations(), out);
            } else {
                HistoryFile.writeText(film.operations(), out);
            }
        });
    }
}
