package cleave.frontend.protocol.odata;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A value in JSON before its type is known, because the annotation of the type may come later. Immutable.
 *
 * @param value String, Boolean, Long (an integral number of 64 bits) or Double (any other number); null: null
 */
record RawValue(@Nullable Object value) {
    static final RawValue NULL = new RawValue(null);

    /** The value at the parser's position. */
    static RawValue read(JsonParser json, String name) throws IOException {
        JsonToken token = json.currentToken();
        return switch (token) {
            case VALUE_STRING -> new RawValue(json.getText());
            case VALUE_TRUE -> new RawValue(true);
            case VALUE_FALSE -> new RawValue(false);
            case VALUE_NULL -> NULL;
            case VALUE_NUMBER_INT -> number(json, name);
            case VALUE_NUMBER_FLOAT -> new RawValue(finite(json, name));
            default -> throw Body.malformed("The value of '" + name + "' is no single value.");
        };
    }

    private static RawValue number(JsonParser json, String name) throws IOException {
        return switch (json.getNumberType()) {
            case INT, LONG -> new RawValue(json.getLongValue());
            default -> new RawValue(finite(json, name));
        };
    }

    private static double finite(JsonParser json, String name) throws IOException {
        double value = json.getDoubleValue();
        if (Double.isInfinite(value)) {
            throw Body.malformed("The number in '" + name + "' is beyond a Double.");
        }
        return value;
    }
}
