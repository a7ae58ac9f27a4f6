package cleave.frontend.protocol.odata;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Parses GUIDs strictly: 8-4-4-4-12 hex digits of any case. ({@link UUID#fromString} accepts shorter groups.) */
final class GuidText {
    private static final int LENGTH = 36;

    private GuidText() {}

    /** Null if the text is not a GUID. */
    static @Nullable UUID parse(String text) {
        if (text.length() != LENGTH) {
            return null;
        }
        for (int i = 0; i < LENGTH; i++) {
            char c = text.charAt(i);
            boolean isHyphen = i == 8 || i == 13 || i == 18 || i == 23;
            if (isHyphen ? c != '-' : c >= 0x80 || Character.digit(c, 16) < 0) {
                return null;
            }
        }
        return UUID.fromString(text);
    }
}
