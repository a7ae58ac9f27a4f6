package cleave.frontend.protocol.odata;

import cleave.model.entity.EdmType;
import org.jspecify.annotations.Nullable;

/** The names of the types on the wire. */
public final class EdmNames {
    private EdmNames() {}

    public static String of(EdmType type) {
        return switch (type) {
            case STRING -> "Edm.String";
            case BINARY -> "Edm.Binary";
            case BOOLEAN -> "Edm.Boolean";
            case INT32 -> "Edm.Int32";
            case INT64 -> "Edm.Int64";
            case DOUBLE -> "Edm.Double";
            case DATETIME -> "Edm.DateTime";
            case GUID -> "Edm.Guid";
        };
    }

    /** Null if the name is unknown. */
    static @Nullable EdmType parse(String name) {
        return switch (name) {
            case "Edm.String" -> EdmType.STRING;
            case "Edm.Binary" -> EdmType.BINARY;
            case "Edm.Boolean" -> EdmType.BOOLEAN;
            case "Edm.Int32" -> EdmType.INT32;
            case "Edm.Int64" -> EdmType.INT64;
            case "Edm.Double" -> EdmType.DOUBLE;
            case "Edm.DateTime" -> EdmType.DATETIME;
            case "Edm.Guid" -> EdmType.GUID;
            default -> null;
        };
    }
}
