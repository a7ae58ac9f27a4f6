package cleave.frontend.protocol.odata;

import cleave.frontend.protocol.odata.FilterToken.Kind;
import cleave.model.entity.EdmType;
import cleave.model.entity.Literal;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The scanner of filters. Confined to one parse. Refuses what is no token at all. */
final class FilterScanner {
    /** Characters that are tokens, though no filter has them. */
    private static final String PUNCTUATION = ",=/?*";

    private final String text;
    private int at;

    FilterScanner(String text) {
        this.text = text;
    }

    FilterToken next() {
        while (at < text.length() && isSpace(text.charAt(at))) {
            at++;
        }
        if (at == text.length()) {
            return token(Kind.END);
        }
        char c = text.charAt(at);
        if (c == '(' || c == ')') {
            at++;
            return token(c == '(' ? Kind.OPEN : Kind.CLOSE);
        }
        if (c == '\'') {
            return constant(EdmType.STRING, quoted());
        }
        if (Text.isDigit(c) || c == '-' || c == '.') {
            return number();
        }
        if (Text.isNameStart(c)) {
            return word();
        }
        if (PUNCTUATION.indexOf(c) < 0) {
            throw SyntaxErrors.character(text, at);
        }
        at++;
        return token(Kind.BROKEN);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }

    private FilterToken token(Kind kind) {
        return new FilterToken(kind, "", null, at);
    }

    private FilterToken constant(EdmType type, @Nullable Object value) {
        return value == null ? token(Kind.BROKEN) : new FilterToken(Kind.CONSTANT, "", new Literal(type, value), at);
    }

    /** The quoted text, with doubled quotes made single. */
    private String quoted() {
        StringBuilder value = new StringBuilder();
        at++;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != '\'') {
                value.append(c);
            } else if (at < text.length() && text.charAt(at) == '\'') {
                value.append(c);
                at++;
            } else {
                return value.toString();
            }
        }
        throw SyntaxErrors.unterminated(text);
    }

    private FilterToken word() {
        int start = at;
        while (at < text.length() && Text.isNamePart(text.charAt(at))) {
            at++;
        }
        String word = text.substring(start, at);
        if (at < text.length() && text.charAt(at) == '\'') {
            return typed(word);
        }
        return switch (word) {
            case "true", "True" -> constant(EdmType.BOOLEAN, true);
            case "false", "False" -> constant(EdmType.BOOLEAN, false);
            case "NaN" -> constant(EdmType.DOUBLE, Double.NaN);
            case "INF" -> constant(EdmType.DOUBLE, Double.POSITIVE_INFINITY);
            case "null" -> token(Kind.NULL);
            default -> new FilterToken(Kind.WORD, word, null, at);
        };
    }

    /** A constant with its type before the quotes. */
    private FilterToken typed(String type) {
        String value = quoted();
        return switch (type) {
            case "datetime" -> constant(EdmType.DATETIME, DateTimeText.parse(value));
            case "guid" -> constant(EdmType.GUID, GuidText.parse(value));
            case "X", "x", "binary" -> constant(EdmType.BINARY, hex(value));
            default -> token(Kind.BROKEN);
        };
    }

    private static byte @Nullable [] hex(String value) {
        try {
            return HexFormat.of().parseHex(value);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private FilterToken number() {
        int start = at;
        at++;
        while (at < text.length() && isNumberPart(text.charAt(at))) {
            at++;
        }
        String number = text.substring(start, at);
        if (number.equals("-INF")) {
            return constant(EdmType.DOUBLE, Double.NEGATIVE_INFINITY);
        }
        String digits = number.substring(0, number.length() - 1);
        return switch (number.charAt(number.length() - 1)) {
            case 'L', 'l' -> constant(EdmType.INT64, Numbers.parseLong(digits));
            case 'D', 'd' -> constant(EdmType.DOUBLE, Numbers.parseDouble(digits));
            default -> unmarked(number);
        };
    }

    /** The sign of an exponent is part of a number. A letter is scanned as a part, too, which makes the number malformed. */
    private boolean isNumberPart(char c) {
        boolean isExponentSign = (c == '+' || c == '-') && (text.charAt(at - 1) == 'e' || text.charAt(at - 1) == 'E');
        return isExponentSign || c == '.' || Text.isNamePart(c);
    }

    private FilterToken unmarked(String number) {
        if (number.indexOf('.') >= 0 || number.indexOf('e') >= 0 || number.indexOf('E') >= 0) {
            return constant(EdmType.DOUBLE, Numbers.parseDouble(number));
        }
        Long value = Numbers.parseLong(number);
        if (value != null && value.intValue() == value) {
            return constant(EdmType.INT32, value.intValue());
        }
        return constant(EdmType.INT64, value);
    }
}
