package cleave.frontend.protocol.odata;

/** Errors of syntax in addresses and filters, which name what is wrong and where it stands. Positions count from 0. */
final class SyntaxErrors {
    private SyntaxErrors() {}

    /** The error of a character that is part of no token. */
    static ServiceError character(String text, int at) {
        String character = new String(Character.toChars(text.codePointAt(at)));
        return refused("Syntax error: character '" + character + "' is not valid at position " + at, text);
    }

    /** The error of a quoted text without its end. */
    static ServiceError unterminated(String text) {
        return refused("There is an unterminated string literal at position " + text.length(), text);
    }

    /** The error of a token that may not stand where it does, and ends at the position. */
    static ServiceError token(String text, int end) {
        return refused("Syntax error at position " + end, text);
    }

    private static ServiceError refused(String what, String text) {
        return ServiceError.of(ServiceCode.INVALID_INPUT, Text.withoutLoneSurrogates(what + " in '" + text + "'."));
    }
}
