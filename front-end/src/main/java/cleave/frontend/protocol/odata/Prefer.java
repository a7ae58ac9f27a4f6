package cleave.frontend.protocol.odata;

import org.jspecify.annotations.Nullable;

/** The content that the client wants in the response to a create or insert. */
public enum Prefer {
    /** No preference: 201 with the content, and no Preference-Applied. */
    NONE(""),
    RETURN_CONTENT("return-content"),
    RETURN_NO_CONTENT("return-no-content");

    private final String wireName;

    Prefer(String wireName) {
        this.wireName = wireName;
    }

    /** Parses the header. Unknown preferences are ignored. */
    public static Prefer parse(@Nullable String header) {
        if (header == null) {
            return NONE;
        }
        for (String part : header.split(",", -1)) {
            String preference = part.strip();
            if (preference.equalsIgnoreCase(RETURN_NO_CONTENT.wireName)) {
                return RETURN_NO_CONTENT;
            }
            if (preference.equalsIgnoreCase(RETURN_CONTENT.wireName)) {
                return RETURN_CONTENT;
            }
        }
        return NONE;
    }

    /** The value of Preference-Applied; null if that header is to be absent. */
    public @Nullable String applied() {
        return this == NONE ? null : wireName;
    }

    public boolean wantsContent() {
        return this != RETURN_NO_CONTENT;
    }
}
