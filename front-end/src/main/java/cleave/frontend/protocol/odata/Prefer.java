package cleave.frontend.protocol.odata;

import org.jspecify.annotations.Nullable;

/** What the client wants back from a create or insert. */
public enum Prefer {
    /** Nothing was said: 201 with the content, and no Preference-Applied. */
    UNSAID(""),
    RETURN_CONTENT("return-content"),
    RETURN_NO_CONTENT("return-no-content");

    private final String wireName;

    Prefer(String wireName) {
        this.wireName = wireName;
    }

    /** Of the value of the header; values that we do not know say nothing. */
    public static Prefer parse(@Nullable String header) {
        if (header == null) {
            return UNSAID;
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
        return UNSAID;
    }

    /** The value of Preference-Applied; null if that header is to be absent. */
    public @Nullable String applied() {
        return this == UNSAID ? null : wireName;
    }

    public boolean wantsContent() {
        return this != RETURN_NO_CONTENT;
    }
}
