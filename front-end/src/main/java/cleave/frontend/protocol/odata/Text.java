package cleave.frontend.protocol.odata;

import cleave.model.Utf8;

/** Character classes of the protocol. */
final class Text {
    private Text() {}

    /** True if the character at an index is one half of a surrogate pair without the other. */
    static boolean isLoneSurrogate(String text, int index) {
        char c = text.charAt(index);
        if (!Character.isSurrogate(c)) {
            return false;
        }
        return Character.isHighSurrogate(c)
                ? index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1))
                : index == 0 || !Character.isHighSurrogate(text.charAt(index - 1));
    }

    /** The text with U+FFFD for each lone surrogate, so that a message can quote it. */
    static String withoutLoneSurrogates(String text) {
        if (Utf8.isWhole(text)) {
            return text;
        }
        StringBuilder whole = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            whole.append(isLoneSurrogate(text, i) ? '\ufffd' : text.charAt(i));
        }
        return whole.toString();
    }

    /** True if the name of a property may begin with the character: a letter by the rules of C#, or an underscore. */
    static boolean isNameStart(char c) {
        if (c < 0x80) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        }
        return switch (Character.getType(c)) {
            case Character.UPPERCASE_LETTER,
                    Character.LOWERCASE_LETTER,
                    Character.TITLECASE_LETTER,
                    Character.MODIFIER_LETTER,
                    Character.OTHER_LETTER,
                    Character.LETTER_NUMBER -> true;
            default -> false;
        };
    }

    /** True if the name of a property may contain the character after its first. */
    static boolean isNamePart(char c) {
        if (c < 0x80) {
            return isNameStart(c) || (c >= '0' && c <= '9');
        }
        return isNameStart(c)
                || switch (Character.getType(c)) {
                    case Character.DECIMAL_DIGIT_NUMBER,
                            Character.CONNECTOR_PUNCTUATION,
                            Character.NON_SPACING_MARK,
                            Character.COMBINING_SPACING_MARK,
                            Character.FORMAT -> true;
                    default -> false;
                };
    }

    /** Without the white space around it that .NET's parsers pass over. */
    static String trimmed(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isWhite(text.charAt(from))) {
            from++;
        }
        while (to > from && isWhite(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isWhite(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
