package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategies;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Converts collected JSON lines to CSV. The first line of CSV names all properties, and these are known only at the
 * end. Confined to one thread.
 */
final class CsvSink {
    /** More than CSV programs read. */
    private static final int PROPERTIES_MAX = 8_000;

    private static final JsonFactory JSON = new JsonFactory();
    private static final String ODATA_TYPE = "@odata.type";

    /** The characters that begin a formula in some spreadsheet; spreadsheets skip the white space. */
    private static final String FORMULA = "=+-@\t\r\n";

    private final TreeSet<String> names = new TreeSet<>();
    private long formulas;

    /** A value as text of its field. Immutable. */
    private record Typed(String text, String type) {}

    /** Checks all lines before it writes the first. */
    void collect(String line) throws IOException {
        names.addAll(properties(line).keySet());
        if (names.size() > PROPERTIES_MAX) {
            throw CommandFailure.failed("the entities have more than " + PROPERTIES_MAX
                    + " properties, too many for the columns of CSV; export the table with --format jsonl");
        }
    }

    /** Writes the columns, and then a record for each line. */
    void write(Reader lines, Writer out) throws IOException {
        names.remove(CsvColumns.PARTITION_KEY);
        names.remove(CsvColumns.ROW_KEY);
        CsvWriter csv = CsvWriter.builder()
                .lineDelimiter(LineDelimiter.LF)
                .quoteStrategy(QuoteStrategies.REQUIRED)
                .build(out);
        List<String> header = new ArrayList<>(List.of(CsvColumns.PARTITION_KEY, CsvColumns.ROW_KEY));
        names.forEach(name -> header.addAll(List.of(name, name + CsvColumns.TYPE)));
        csv.writeRecord(header);
        for (@Nullable String line = EntityLines.next(lines); line != null; line = EntityLines.next(lines)) {
            Map<String, Typed> properties = properties(line);
            formulas += properties.values().stream().filter(CsvSink::isFormula).count();
            List<String> fields = new ArrayList<>();
            fields.add(text(properties, CsvColumns.PARTITION_KEY));
            fields.add(text(properties, CsvColumns.ROW_KEY));
            for (String name : names) {
                Typed value = properties.get(name);
                fields.add(value == null ? "" : value.text());
                fields.add(value == null ? "" : value.type());
            }
            csv.writeRecord(fields);
        }
        csv.flush();
    }

    /** The number of texts that a spreadsheet would take for formulas. */
    long formulas() {
        return formulas;
    }

    private static boolean isFormula(Typed value) {
        return value.type().equals(CsvValue.STRING.edm())
                && !value.text().isEmpty()
                && FORMULA.indexOf(value.text().charAt(0)) >= 0;
    }

    private static String text(Map<String, Typed> properties, String key) throws IOException {
        Typed value = properties.get(key);
        if (value == null) {
            throw new IOException("an entity without " + key);
        }
        return value.text();
    }

    private static Map<String, Typed> properties(String line) throws IOException {
        Map<String, Typed> values = new HashMap<>();
        Map<String, String> types = new HashMap<>();
        try (JsonParser json = JSON.createParser(line)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (name.endsWith(ODATA_TYPE)) {
                    types.put(name.substring(0, name.length() - ODATA_TYPE.length()), json.getText());
                } else {
                    values.put(name, new Typed(json.getText(), typeOf(value).edm()));
                }
            }
        }
        types.forEach((name, type) -> values.computeIfPresent(name, (same, value) -> new Typed(value.text(), type)));
        return values;
    }

    private static CsvValue typeOf(JsonToken value) throws IOException {
        return switch (value) {
            case VALUE_STRING -> CsvValue.STRING;
            case VALUE_TRUE, VALUE_FALSE -> CsvValue.BOOLEAN;
            case VALUE_NUMBER_INT -> CsvValue.INT32;
            case VALUE_NUMBER_FLOAT -> CsvValue.DOUBLE;
            default -> throw new IOException("a property that is no single value: " + value);
        };
    }
}
