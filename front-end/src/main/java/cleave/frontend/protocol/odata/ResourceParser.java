package cleave.frontend.protocol.odata;

import org.jspecify.annotations.Nullable;

/** Parses the decoded path after the account. Confined to one parse. */
final class ResourceParser {
    private static final String BATCH = "$batch";
    private static final String TABLES = "Tables";

    private final String text;
    private int at;

    ResourceParser(String text) {
        this.text = text;
    }

    Resource parse() {
        String name = name();
        boolean isTables = name.equalsIgnoreCase(TABLES);
        if (at == text.length()) {
            return name.equals(BATCH) ? new Resource.Batch() : isTables ? new Resource.Tables() : entities(name);
        }
        at++;
        skipSpaces();
        Resource resource;
        if (peek() == ')') {
            resource = isTables ? new Resource.Tables() : entities(name);
        } else {
            resource = isTables ? new Resource.Table(tableName()) : entity(name);
        }
        skipSpaces();
        expect(')');
        if (at != text.length()) {
            throw Keys.badSyntax();
        }
        return resource;
    }

    private static Resource entities(String name) {
        return new Resource.EntitySet(name);
    }

    /** All characters up to the parenthesis. Whether they are a legal name is checked elsewhere. */
    private String name() {
        while (at < text.length() && text.charAt(at) != '(') {
            char c = text.charAt(at);
            if (c == '/' || c == '\\' || c == '\'' || c < 0x20 || c == 0x7f) {
                throw ServiceError.of(ServiceCode.INVALID_URI);
            }
            at++;
        }
        if (at == 0) {
            throw ServiceError.of(ServiceCode.INVALID_URI);
        }
        return text.substring(0, at);
    }

    private String tableName() {
        String name = quoted();
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) < 0x20 || name.charAt(i) == 0x7f) {
                throw ServiceError.of(ServiceCode.INVALID_URI);
            }
        }
        return name;
    }

    private Resource entity(String table) {
        String partitionKey = null;
        String rowKey = null;
        for (int i = 0; i < 2; i++) {
            if (i > 0) {
                skipSpaces();
                expect(',');
                skipSpaces();
            }
            if (partitionKey == null && accept(Keys.PARTITION_KEY)) {
                partitionKey = value();
            } else if (rowKey == null && accept(Keys.ROW_KEY)) {
                rowKey = value();
            }
        }
        return new Resource.EntityAddress(table, checked(partitionKey), checked(rowKey));
    }

    private static String checked(@Nullable String key) {
        if (key == null) {
            throw Keys.badSyntax();
        }
        Keys.checkInAddress(key);
        return key;
    }

    private String value() {
        skipSpaces();
        expect('=');
        skipSpaces();
        return quoted();
    }

    private String quoted() {
        expect('\'');
        StringBuilder value = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c != '\'') {
                value.append(c);
            } else if (peek() == '\'') {
                value.append(c);
                at++;
            } else {
                return value.toString();
            }
        }
        throw Keys.badSyntax();
    }

    private boolean accept(String word) {
        if (!text.startsWith(word, at)) {
            return false;
        }
        at += word.length();
        return true;
    }

    private void expect(char c) {
        if (peek() != c) {
            throw Keys.badSyntax();
        }
        at++;
    }

    private void skipSpaces() {
        while (peek() == ' ') {
            at++;
        }
    }

    /** The next character; U+0000 at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }
}
