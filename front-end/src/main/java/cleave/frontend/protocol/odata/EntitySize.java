package cleave.frontend.protocol.odata;

import cleave.model.Limits;
import cleave.model.entity.Property;
import java.util.List;

/** The size of an entity before it is encoded, by the formula of {@link cleave.model.entity.EntityCodec#size}. */
final class EntitySize {
    private EntitySize() {}

    static long of(String partitionKey, String rowKey, List<Property> properties) {
        long size = 4 + 2L * (partitionKey.length() + rowKey.length());
        for (Property property : properties) {
            size += 8 + 2L * property.name().length() + ofValue(property);
        }
        return size;
    }

    private static int ofValue(Property property) {
        return switch (property.type()) {
            case STRING -> 4 + 2 * ((String) property.value()).length();
            case BINARY -> 4 + ((byte[]) property.value()).length;
            case BOOLEAN -> 1;
            case INT32 -> Integer.BYTES;
            case INT64, DOUBLE, DATETIME -> Long.BYTES;
            case GUID -> 16;
        };
    }

    /** Refuses a String or Binary that is too long. */
    static void checkValue(Property property) {
        boolean isTooLarge = switch (property.type()) {
            case STRING -> ((String) property.value()).length() > Limits.STRING_CHARS_MAX;
            case BINARY -> ((byte[]) property.value()).length > Limits.BINARY_BYTES_MAX;
            case BOOLEAN, INT32, INT64, DOUBLE, DATETIME, GUID -> false;
        };
        if (isTooLarge) {
            throw ServiceError.of(ServiceCode.PROPERTY_VALUE_TOO_LARGE);
        }
    }
}
