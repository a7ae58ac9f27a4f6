package cleave.frontend.protocol.odata;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A media type with its {@code odata} parameter. Immutable.
 *
 * @param type in lower case, without parameters
 * @param odata value of the parameter {@code odata} in lower case; null if it is absent
 */
public record MediaType(String type, @Nullable String odata) {
    public static MediaType parse(String text) {
        String[] parts = text.split(";", -1);
        String odata = null;
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals > 0 && parts[i].substring(0, equals).strip().equalsIgnoreCase("odata")) {
                odata = parts[i].substring(equals + 1).strip().toLowerCase(Locale.ROOT);
            }
        }
        return new MediaType(parts[0].strip().toLowerCase(Locale.ROOT), odata);
    }

    public boolean isJson() {
        return type.equals("application/json") || type.equals("json");
    }

    public boolean isVerboseJson() {
        return isJson() && "verbose".equals(odata);
    }

    public boolean isAtom() {
        return type.startsWith("application/atom") || type.equals("atom") || type.equals("application/xml");
    }

    public boolean isWildcard() {
        return type.equals("*/*") || type.equals("application/*") || type.equals("*");
    }

    public ServiceError notSupported() {
        return ServiceError.of(
                isAtom()
                        ? ServiceCode.ATOM_FORMAT_NOT_SUPPORTED
                        : isVerboseJson()
                                ? ServiceCode.JSON_VERBOSE_FORMAT_NOT_SUPPORTED
                                : ServiceCode.MEDIA_TYPE_NOT_SUPPORTED);
    }
}
