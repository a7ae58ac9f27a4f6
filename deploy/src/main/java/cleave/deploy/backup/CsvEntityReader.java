package cleave.deploy.backup;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Reads entities from CSV records; the first line names the columns. Confined to one thread.
 *
 * <p>A field with a type is a value even if it is empty. One without a type is a string, or no property if it is empty.
 */
final class CsvEntityReader implements EntityReader {
    private static final JsonFactory JSON = new JsonFactory();

    private final Iterator<CsvRecord> records;
    private final CsvColumns columns;
    private long last;

    /** BadEntity if the first line does not name the columns. */
    CsvEntityReader(Reader in) throws IOException, BadEntity {
        records = CsvReader.builder()
                .allowExtraFields(true) // Reported below, with the column.
                .allowMissingFields(true)
                .allowExtraCharsAfterClosingQuote(false)
                .maxBufferSize(EntityLines.CHARACTERS_MAX)
                .ofCsvRecord(in)
                .iterator();
        CsvRecord first = record();
        if (first == null) {
            throw new BadEntity(1, "the file is empty; its first line must name the columns");
        }
        try {
            columns = CsvColumns.of(first.getFields());
        } catch (IllegalArgumentException wrong) {
            throw new BadEntity(1, String.valueOf(wrong.getMessage()));
        }
    }

    @Override
    public @Nullable Entry next() throws IOException, BadEntity {
        CsvRecord record = record();
        return record == null ? null : new Entry(record.getStartingLineNumber(), json(record));
    }

    private @Nullable CsvRecord record() throws IOException, BadEntity {
        try {
            if (!records.hasNext()) {
                return null;
            }
            CsvRecord record = records.next();
            last = record.getStartingLineNumber();
            return record;
        } catch (CsvParseException malformed) {
            Throwable why = malformed.getCause() == null ? malformed : malformed.getCause();
            throw new BadEntity(
                    last + 1, "it is no CSV: " + why.getMessage() + " (in a record that begins at or behind it)");
        } catch (UncheckedIOException failed) {
            if (failed.getCause() instanceof CharacterCodingException) {
                throw new BadEntity(last + 1, "it, or a line after it, is no UTF-8");
            }
            throw failed.getCause();
        }
    }

    private String json(CsvRecord record) throws IOException, BadEntity {
        if (record.getFieldCount() != columns.count()) {
            throw new BadEntity(
                    record.getStartingLineNumber(),
                    "it has " + record.getFieldCount() + " fields, but the first line names " + columns.count()
                            + " columns; a text with commas, quotes or line ends stands in quotes, and its quotes are doubled");
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            for (CsvColumns.Property property : columns.properties()) {
                put(json, record, property);
            }
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void put(JsonGenerator json, CsvRecord record, CsvColumns.Property property)
            throws IOException, BadEntity {
        String value = record.getField(property.value());
        String type = property.type() < 0 ? "" : record.getField(property.type());
        if (property.isKey()) {
            json.writeStringField(property.name(), value);
            return;
        }
        if (type.isEmpty() && value.isEmpty()) {
            return;
        }
        int column = property.type();
        try {
            CsvValue values = type.isEmpty() ? CsvValue.STRING : CsvValue.ofType(type);
            column = property.value();
            values.put(json, property.name(), value);
        } catch (IllegalArgumentException wrong) {
            throw new BadEntity(
                    record.getStartingLineNumber(),
                    "column " + (column + 1) + " (" + property.name()
                            + (column == property.type() ? CsvColumns.TYPE : "") + "): " + wrong.getMessage());
        }
    }
}
