package cleave.frontend.protocol.odata;

import cleave.frontend.protocol.odata.KeyPredicate.NamedKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses the decoded path after the account. Confined to one parse. */
final class ResourceParser {
    private static final String BATCH = "$batch";
    private static final String TABLES = "Tables";

    private final String account;
    private final String text;

    ResourceParser(String account, String text) {
        this.account = account;
        this.text = text;
    }

    Resource parse() {
        String name = name(text);
        String behind = text.substring(name.length());
        if (behind.startsWith("/")) {
            return below(name, behind.substring(1));
        }
        if (name.equals(BATCH) && behind.isEmpty()) {
            return new Resource.Batch();
        }
        boolean isTables = name.equalsIgnoreCase(TABLES);
        List<NamedKey> keys = keys(behind);
        if (keys.isEmpty()) {
            return isTables ? new Resource.Tables() : new Resource.EntitySet(name);
        }
        return isTables ? table(name, keys) : entity(name, keys);
    }

    /** @param more behind the slash */
    private Resource below(String table, String more) {
        String name = name(more);
        String behind = more.substring(name.length());
        if (!TableName.isLegal(table) || behind.startsWith("/")) {
            throw ServiceError.of(ServiceCode.INVALID_URI);
        }
        List<NamedKey> keys = keys(behind);
        return keys.isEmpty()
                ? new Resource.BelowTable(table)
                : new Resource.BelowTable(entity(table, keys).table());
    }

    /** All characters up to a parenthesis or a slash. Whether they are a legal name is checked elsewhere. */
    private static String name(String text) {
        int at = 0;
        while (at < text.length() && text.charAt(at) != '(' && text.charAt(at) != '/') {
            char c = text.charAt(at);
            if (c == '\\' || c == '\'' || c < 0x20 || c == 0x7f) {
                throw ServiceError.of(ServiceCode.INVALID_URI);
            }
            at++;
        }
        if (at == 0) {
            throw ServiceError.of(ServiceCode.INVALID_URI);
        }
        return text.substring(0, at);
    }

    /** The keys behind a name; none if it has no parentheses, or there is nothing between them. */
    private static List<NamedKey> keys(String behind) {
        if (behind.isEmpty()) {
            return List.of();
        }
        if (!behind.endsWith(")")) {
            throw Keys.badSyntax();
        }
        return KeyPredicate.parse(behind.substring(1, behind.length() - 1));
    }

    private Resource table(String name, List<NamedKey> keys) {
        checkCount(name, keys, 1);
        NamedKey key = keys.get(0);
        if (key.name() != null) {
            throw Keys.badSyntax();
        }
        for (int i = 0; i < key.value().length(); i++) {
            char c = key.value().charAt(i);
            if (c < 0x20 || c == 0x7f) {
                throw ServiceError.of(ServiceCode.INVALID_URI);
            }
        }
        return new Resource.Table(key.value());
    }

    private Resource.EntityAddress entity(String table, List<NamedKey> keys) {
        checkCount(table, keys, 2);
        return new Resource.EntityAddress(table, value(keys, Keys.PARTITION_KEY), value(keys, Keys.ROW_KEY));
    }

    private static String value(List<NamedKey> keys, String name) {
        @Nullable String value = null;
        for (NamedKey key : keys) {
            if (name.equals(key.name())) {
                value = key.value();
            }
        }
        if (value == null) {
            throw Keys.badSyntax();
        }
        Keys.checkInAddress(value);
        return value;
    }

    private void checkCount(String name, List<NamedKey> keys, int count) {
        if (keys.size() != count) {
            throw ServiceError.of(
                    ServiceCode.INVALID_INPUT,
                    "The number of keys specified in the URI does not match number of key properties for the resource '"
                            + account + "." + name + "'.");
        }
    }
}
