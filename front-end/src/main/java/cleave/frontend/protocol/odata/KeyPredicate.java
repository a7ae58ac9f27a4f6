package cleave.frontend.protocol.odata;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what stands between the parentheses of an address: keys with or without their names. Confined to one parse. It goes from token to
 * token as the service does, so that of several mistakes it tells the same one.
 */
final class KeyPredicate {
    /** @param name null if the value stands alone */
    record NamedKey(@Nullable String name, String value) {}

    /** Characters that are tokens, though no list of keys has them except the comma and the equals sign. */
    private static final String PUNCTUATION = "(),-=/?.*";

    private enum Kind {
        WORD,
        STRING,
        EQUALS,
        COMMA,
        OTHER,
        END
    }

    private final String text;
    private int at;
    private Kind kind = Kind.END;
    /** The value of a word, or of a string without its quotes. */
    private String value = "";

    private KeyPredicate(String text) {
        this.text = text;
    }

    /** The keys in a text, none if it is blank. Refuses malformed ones. */
    static List<NamedKey> parse(String text) {
        return new KeyPredicate(text).keys();
    }

    /** Reports first what a missing comma leads to. */
    private List<NamedKey> keys() {
        List<NamedKey> keys = new ArrayList<>();
        boolean complete = true;
        advance();
        while (kind != Kind.END) {
            keys.add(key());
            if (kind == Kind.COMMA) {
                advance();
                complete &= kind != Kind.END;
            } else {
                complete &= kind == Kind.END;
            }
        }
        if (!complete) {
            throw Keys.badSyntax();
        }
        return keys;
    }

    private NamedKey key() {
        String name = null;
        if (kind == Kind.WORD) {
            name = value;
            advance();
            if (kind != Kind.EQUALS) {
                throw Keys.badSyntax();
            }
            advance();
        }
        if (kind != Kind.STRING) {
            throw Keys.badSyntax();
        }
        NamedKey key = new NamedKey(name, value);
        advance();
        return key;
    }

    private void advance() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        if (at == text.length()) {
            kind = Kind.END;
            return;
        }
        char c = text.charAt(at);
        if (c == '\'') {
            kind = Kind.STRING;
            value = quoted();
        } else if (Text.isNameStart(c)) {
            kind = Kind.WORD;
            value = word();
        } else if (Text.isDigit(c) || PUNCTUATION.indexOf(c) >= 0) {
            kind = c == '=' ? Kind.EQUALS : c == ',' ? Kind.COMMA : Kind.OTHER;
            at++;
        } else {
            throw SyntaxErrors.character(text, at);
        }
    }

    private String word() {
        int start = at;
        while (at < text.length() && Text.isNamePart(text.charAt(at))) {
            at++;
        }
        return text.substring(start, at);
    }

    private String quoted() {
        StringBuilder quoted = new StringBuilder();
        at++;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != '\'') {
                quoted.append(c);
            } else if (at < text.length() && text.charAt(at) == '\'') {
                quoted.append(c);
                at++;
            } else {
                return quoted.toString();
            }
        }
        throw SyntaxErrors.unterminated(text);
    }
}
