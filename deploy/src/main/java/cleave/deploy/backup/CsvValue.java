package cleave.deploy.backup;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A property type's conversion between a CSV field and JSON. Immutable. */
enum CsvValue {
    STRING("Edm.String", "any text") {
        @Override
        void write(JsonGenerator json, String name, String text) throws IOException {
            json.writeStringField(name, text);
        }
    },
    BOOLEAN("Edm.Boolean", "true or false") {
        @Override
        void write(JsonGenerator json, String name, String text) throws IOException {
            String lower = text.toLowerCase(Locale.ROOT);
            demand(lower.equals("true") || lower.equals("false"));
            json.writeBooleanField(name, lower.equals("true"));
        }
    },
    INT32("Edm.Int32", "a whole number from -2147483648 to 2147483647") {
        @Override
        void write(JsonGenerator json, String name, String text) throws IOException {
            json.writeNumberField(name, Integer.parseInt(text));
        }
    },
    INT64("Edm.Int64", "a whole number of 64 bits") {
        @Override
        void write(JsonGenerator json, String name, String text) throws IOException {
            annotated(json, name, Long.toString(Long.parseLong(text)));
        }
    },
    DOUBLE("Edm.Double", "a number such as 5, 5.5 or 1e300, NaN, Infinity or -Infinity") {
        @Override
        void write(JsonGenerator json, String name, String text) throws IOException {
            if (NO_NUMBERS.contains(text)) {
                annotated(json, name, text);
                return;
            }
            demand(NUMBER.matcher(text).matches() && Double.isFinite(Double.parseDouble(text)));
            json.writeFieldName(name);
            json.writeNumber(WHOLE.matcher(text).matches() ? text + ".0" : text); // Otherwise it would be an Int32.
        }
    },
    DATE_TIME("Edm.DateTime", "a time such as 2026-01-02T03:04:05.1234567Z") {
        @Override
        void write(JsonGenerator json, String name, String text) throws IOException {
            boolean hasZone = ZONE.matcher(text).find();
            demand(OffsetDateTime.parse(hasZone ? text : text + "Z").getNano() % 100 == 0);
            annotated(json, name, hasZone ? text : text + "Z");
        }
    },
    GUID("Edm.Guid", "a GUID such as c9da6455-213d-42c9-9a79-3e9149a57833") {
        @Override
        void write(JsonGenerator json, String name, String text) throws IOException {
            demand(UUID_FORM.matcher(text).matches());
            annotated(json, name, text);
        }
    },
    BINARY("Edm.Binary", "Base64") {
        @Override
        void write(JsonGenerator json, String name, String text) throws IOException {
            byte[] bytes = Base64.getDecoder().decode(text);
            annotated(json, name, Base64.getEncoder().encodeToString(bytes));
        }
    };

    private static final Set<String> NO_NUMBERS = Set.of("NaN", "Infinity", "-Infinity");
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");
    private static final Pattern WHOLE = Pattern.compile("-?\\d+");
    private static final Pattern ZONE = Pattern.compile("(Z|[+-]\\d\\d:\\d\\d)$");
    private static final Pattern UUID_FORM = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private final String edm;
    private final String right;

    CsvValue(String edm, String right) {
        this.edm = edm;
        this.right = right;
    }

    /** Its name in a type column. */
    String edm() {
        return edm;
    }

    /** Takes names with or without "Edm.", in any case; IllegalArgumentException with a message for operators if there is no such type. */
    static CsvValue ofType(String type) {
        String name = type.regionMatches(true, 0, "Edm.", 0, 4) ? type : "Edm." + type;
        for (CsvValue each : values()) {
            if (each.edm.equalsIgnoreCase(name)) {
                return each;
            }
        }
        throw new IllegalArgumentException("'" + type + "' is no type; the types are "
                + Arrays.stream(values()).map(CsvValue::edm).collect(Collectors.joining(", ")));
    }

    /** Writes a property; IllegalArgumentException with a message for operators if the text is not a value of this type. */
    void put(JsonGenerator json, String name, String text) throws IOException {
        try {
            write(json, name, text);
        } catch (IllegalArgumentException | DateTimeException malformed) {
            String shown = text.length() > 40 ? text.substring(0, 40) + "..." : text;
            throw new IllegalArgumentException("'" + shown + "' is no " + edm + "; right is " + right, malformed);
        }
    }

    abstract void write(JsonGenerator json, String name, String text) throws IOException;

    private static void annotated(JsonGenerator json, String name, String text, String type) throws IOException {
        json.writeStringField(name + "@odata.type", type);
        json.writeStringField(name, text);
    }

    void annotated(JsonGenerator json, String name, String text) throws IOException {
        annotated(json, name, text, edm);
    }

    private static void demand(boolean right) {
        if (!right) {
            throw new IllegalArgumentException("malformed");
        }
    }
}
