package cleave.client;

import java.net.URI;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads a connection string, as the SDKs and the portal call it, with an account key or a shared access signature. It also reads the URL of
 * a Table service, or of one of its tables, with a shared access signature as its query. Stateless. A wrong string is an
 * IllegalArgumentException that never repeats a key or signature.
 */
public final class ConnectionString {
    private static final String TABLE_HOST = ".table.";

    private ConnectionString() {}

    public static Endpoint parse(String text) {
        String line = text.strip();
        return line.startsWith("http://") || line.startsWith("https://") ? ofUrl(line) : ofParts(parts(line));
    }

    private static Map<String, String> parts(String text) {
        Map<String, String> parts = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String part : text.split(";")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                parts.put(
                        part.substring(0, equals).strip(),
                        part.substring(equals + 1).strip());
            }
        }
        return parts;
    }

    private static Endpoint ofParts(Map<String, String> parts) {
        if ("true".equalsIgnoreCase(parts.get("UseDevelopmentStorage"))) {
            return Endpoint.development(10002);
        }
        String account = parts.getOrDefault("AccountName", "");
        String url = parts.getOrDefault("TableEndpoint", "");
        if (url.isEmpty() && account.isEmpty()) {
            throw new IllegalArgumentException(
                    "the connection string has neither TableEndpoint nor AccountName; it should look like"
                            + " AccountName=NAME;AccountKey=KEY;TableEndpoint=http://HOST:PORT/NAME");
        }
        if (url.isEmpty()) {
            url = parts.getOrDefault("DefaultEndpointsProtocol", "https") + "://" + account + TABLE_HOST
                    + parts.getOrDefault("EndpointSuffix", "core.windows.net");
        }
        URI base = Endpoint.uri(url);
        String name = account.isEmpty() ? account(base) : account;
        String sas = parts.getOrDefault("SharedAccessSignature", "");
        if (!sas.isEmpty()) {
            return Endpoint.at(base, new Sas(name, sas.startsWith("?") ? sas.substring(1) : sas));
        }
        String key = parts.getOrDefault("AccountKey", "");
        if (key.isEmpty() || account.isEmpty()) {
            throw new IllegalArgumentException(
                    "the connection string has neither AccountName and AccountKey nor a SharedAccessSignature");
        }
        return Endpoint.at(base, new SharedKey(account, key));
    }

    private static Endpoint ofUrl(String text) {
        int query = text.indexOf('?');
        if (query < 0 || !text.substring(query).contains("sig=")) {
            throw new IllegalArgumentException(
                    "the URL has no shared access signature; add its query (?sv=...&sig=...), or give a connection"
                            + " string");
        }
        String signature = text.substring(query + 1);
        URI base = withoutTable(Endpoint.uri(text.substring(0, query)), Sas.parameter(signature, "tn"));
        return Endpoint.at(base, new Sas(account(base), signature));
    }

    /**
     * The address of the account, from its own or from that of a table: {@code http://host:port/account/table} in path style, else
     * {@code https://account.host/table}.
     *
     * @param signed the table that the signature is for; empty: all
     */
    private static URI withoutTable(URI url, String signed) {
        String path = url.getRawPath();
        int slash = path.lastIndexOf('/');
        String last = path.substring(slash + 1).replaceFirst("\\(\\)$", "");
        boolean isOfSigned = !signed.isEmpty() && last.equalsIgnoreCase(signed);
        if (slash <= 0 && !(isOfSigned && mayNameAccount(url.getHost()))) {
            return url;
        }
        if (!signed.isEmpty() && !isOfSigned) {
            throw new IllegalArgumentException(
                    "the URL is of table '" + last + "', but its signature of table '" + signed + "'");
        }
        return Endpoint.uri(url.getScheme() + "://" + url.getRawAuthority() + path.substring(0, slash));
    }

    /** True for names with a dot, whose first label may be an account; IP addresses and {@code localhost} name none. */
    private static boolean mayNameAccount(String host) {
        return host.contains(".") && !host.matches("[0-9.]+") && !host.startsWith("[");
    }

    /** Path style: {@code http://host:port/account}; otherwise the first label of the host. */
    private static String account(URI base) {
        String path = base.getRawPath();
        return path.length() > 1 ? path.substring(1) : base.getHost().split("\\.")[0];
    }
}
