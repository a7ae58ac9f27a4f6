package cleave.chaos.sim.film;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** A page that plays films of runs beside each other, in step. It needs nothing else: no network, no file beside it. Stateless. */
public final class FilmPage {
    private static final double NANOS_PER_SECOND = 1e9;
    /** Virtual seconds a second. */
    private static final double SPEED = 0.05;

    private static final double STORY_SPEED = 0.01;
    private static final String DATA = "<script type=\"application/json\" id=\"film\">{}</script>";

    private FilmPage() {}

    /** Writes a page, which begins where the last film becomes worth looking at. */
    public static void write(Path file, String title, String about, List<Film> films) throws IOException {
        Film last = films.get(films.size() - 1);
        StringWriter data = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(data)) {
            json.writeStartObject();
            json.writeStringField("title", title);
            json.writeStringField("about", about);
            json.writeNumberField("start", Math.max(0, last.startNanos() / NANOS_PER_SECOND));
            json.writeNumberField("speed", last.isStory() ? STORY_SPEED : SPEED);
            json.writeArrayFieldStart("runs");
            for (Film film : films) {
                FilmJson.write(film, json);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        // Keys and texts are anything, but they end no script.
        String safe = data.toString().replace("<", "\\u003c");
        Files.writeString(file, template().replace(DATA, DATA.replace("{}", safe)));
    }

    private static String template() throws IOException {
        try (InputStream in = Objects.requireNonNull(FilmPage.class.getResourceAsStream("film.html"))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }
}
