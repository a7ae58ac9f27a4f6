package cleave.frontend.protocol.odata;

import org.jspecify.annotations.Nullable;

/** Parses numbers strictly: Java's own parsers accept more forms than the protocol. */
final class Numbers {
    private Numbers() {}

    /** Null if the text is not a decimal integer of 64 bits. */
    static @Nullable Long parseLong(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        if (text.length() == start || text.length() > 25) {
            return null;
        }
        for (int i = start; i < text.length(); i++) {
            if (!Text.isDigit(text.charAt(i))) {
                return null;
            }
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Null if the text is not a decimal number, or exceeds the finite doubles. */
    static @Nullable Double parseDouble(String text) {
        boolean hasDigit = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            hasDigit |= Text.isDigit(c);
            if (!Text.isDigit(c) && "+-.eE".indexOf(c) < 0) {
                return null;
            }
        }
        if (!hasDigit || text.length() > 1000) {
            return null;
        }
        try {
            double value = Double.parseDouble(text);
            return Double.isInfinite(value) ? null : value;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
