package cleave.frontend.protocol.odata;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Parses GUIDs as .NET's constructor does: 8-4-4-4-12 hex digits of any case, plain, in braces or in parentheses, or 32 digits alone, and
 * white space around. ({@link UUID#fromString} accepts shorter groups.) The form of hexadecimal groups, {@code {0x...}}, is not accepted.
 */
final class GuidText {
    private static final int LENGTH = 36;
    private static final int DIGITS = 32;

    private GuidText() {}

    /** Null if the text is not a GUID. */
    static @Nullable UUID parse(String given) {
        String text = Text.trimmed(given);
        if (text.length() == LENGTH) {
            return hyphenated(text);
        }
        if (text.length() == LENGTH + 2 && (isWithin(text, '{', '}') || isWithin(text, '(', ')'))) {
            return hyphenated(text.substring(1, LENGTH + 1));
        }
        return text.length() == DIGITS
                ? hyphenated(new StringBuilder(text)
                        .insert(20, '-')
                        .insert(16, '-')
                        .insert(12, '-')
                        .insert(8, '-')
                        .toString())
                : null;
    }

    private static boolean isWithin(String text, char first, char last) {
        return text.charAt(0) == first && text.charAt(text.length() - 1) == last;
    }

    private static @Nullable UUID hyphenated(String text) {
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
