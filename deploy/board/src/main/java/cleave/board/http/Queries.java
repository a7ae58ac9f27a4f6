package cleave.board.http;

import cleave.board.frame.Axis;
import cleave.board.frame.Measure;
import cleave.board.history.Rows;
import cleave.board.history.View;
import cleave.model.Row;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.vertx.core.MultiMap;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the parameters of URLs. {@link Unusable} for one that is wrong. Pure. */
final class Queries {
    private static final long SECOND = 1000;
    private static final long HOUR = 3600 * SECOND;
    private static final Map<String, Long> WINDOWS = Map.of(
            "10m", 600 * SECOND,
            "1h", HOUR,
            "6h", 6 * HOUR,
            "1d", 24 * HOUR,
            "1w", 7 * 24 * HOUR,
            "5w", 35 * 24 * HOUR);
    /** Columns of a longer window than the first are folded to no more than about these. */
    private static final long COLUMNS = 360;

    private static final JsonFactory FACTORY = new JsonFactory();

    private Queries() {}

    static long window(MultiMap parameters) {
        String text = orElse(parameters, "window", "10m");
        Long window = WINDOWS.get(text);
        if (window == null) {
            throw new Unusable(400, "window is '" + text + "'; it is one of 10m, 1h, 6h, 1d, 1w, 5w");
        }
        return window;
    }

    static View.Query view(MultiMap parameters) {
        long window = window(parameters);
        String measure = orElse(parameters, "measure", Measure.ENTITIES.word());
        String rows = orElse(parameters, "rows", "equal-load");
        return new View.Query(
                Measure.of(measure)
                        .orElseThrow(() -> new Unusable(
                                400,
                                "measure is '" + measure
                                        + "'; it is one of entities, written, read, scanned, cpu, bytes, queue")),
                Rows.of(rows)
                        .orElseThrow(() -> new Unusable(
                                400, "rows is '" + rows + "'; it is one of equal-load, equal-partitions, width")),
                whole(parameters, "table"),
                window <= 600 * SECOND ? 1 : window / COLUMNS,
                max(parameters));
    }

    private static int max(MultiMap parameters) {
        Long max = whole(parameters, "max");
        if (max != null && (max < 1 || max > Axis.BUCKETS_MAX)) {
            throw new Unusable(400, "max is " + max + "; it is a number from 1 to " + Axis.BUCKETS_MAX);
        }
        return max == null ? Axis.BUCKETS_MAX : max.intValue();
    }

    static Content.Range range(MultiMap parameters) {
        Long t = whole(parameters, "until");
        String at = parameters.get("at");
        if (at == null) {
            String text = orElse(parameters, "id", "0");
            long id = text.contains(".") ? named(text) : number("id", text, Long::valueOf);
            if (id <= 0) {
                throw new Unusable(400, "say which range: id=N, or at=TABLE,PARTITIONKEY");
            }
            return new Content.Range(id, 0, "", t);
        }
        int comma = at.indexOf(',');
        if (comma < 0) {
            throw new Unusable(400, "at is '" + at + "'; it is TABLE,PARTITIONKEY");
        }
        return new Content.Range(0, number("at", at.substring(0, comma), Long::valueOf), at.substring(comma + 1), t);
    }

    /** The id of a range as it is written for people. */
    private static long named(String text) {
        try {
            return Row.parseId(text);
        } catch (IllegalArgumentException none) {
            throw new Unusable(400, "id: " + none.getMessage());
        }
    }

    /** The members of a JSON object, which are texts, numbers or truth values, as texts. */
    static Map<String, String> texts(byte[] body) {
        Map<String, String> texts = new TreeMap<>();
        try (JsonParser parser = FACTORY.createParser(body)) {
            boolean isObject = parser.nextToken() == JsonToken.START_OBJECT;
            while (isObject && parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                isObject = parser.nextToken().isScalarValue();
                texts.put(name, parser.getText());
            }
            if (isObject && parser.currentToken() == JsonToken.END_OBJECT && parser.nextToken() == null) {
                return texts;
            }
        } catch (IOException malformed) {
            throw new Unusable(400, "the body is not JSON");
        }
        throw new Unusable(400, "the body is no JSON object of texts and numbers");
    }

    /** A number of an optional parameter; null if it is absent. */
    static @Nullable Long whole(MultiMap parameters, String name) {
        String text = parameters.get(name);
        return text == null || text.isEmpty() ? null : number(name, text, Long::valueOf);
    }

    /** From 0 on. */
    static double speed(MultiMap parameters) {
        double speed = number("speed", orElse(parameters, "speed", "1"), Double::valueOf);
        if (!(speed >= 0 && speed <= 100_000)) {
            throw new Unusable(400, "speed is " + speed + "; it is a number from 0 to 100000");
        }
        return speed;
    }

    private static <N> N number(String name, String text, Function<String, N> parse) {
        try {
            return parse.apply(text);
        } catch (NumberFormatException none) {
            throw new Unusable(400, name + " is '" + text + "', which is no number");
        }
    }

    private static String orElse(MultiMap parameters, String name, String otherwise) {
        String text = parameters.get(name);
        return text == null ? otherwise : text;
    }
}
