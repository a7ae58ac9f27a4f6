package cleave.deploy.access;

import cleave.deploy.CommandFailure;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.odata.TableName;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Where an account's tables are and the key that signs requests. Immutable.
 *
 * @param base without a slash at its end; in path style the account's name is its path
 */
public record TableAccount(String name, String key, URI base) {
    private static final int PORT_MAX = 65_535;
    private static final Pattern SIGNATURE = Pattern.compile("(?i)(?:^|;)\\s*SharedAccessSignature\\s*=");
    private static final Pattern SIGNED_URL = Pattern.compile("(?i)^https?://[^?]*\\?(?:.*&)?sig=");
    private static final Pattern ACCOUNT_KEY = Pattern.compile("(?i)(?:^|;)\\s*AccountKey\\s*=");

    public TableAccount {
        String scheme = base.getScheme();
        if (base.getHost() == null
                || scheme == null
                || !scheme.toLowerCase(Locale.ROOT).startsWith("http")) {
            throw noEndpoint(base.toString());
        }
        if (base.getPort() > PORT_MAX) {
            throw CommandFailure.usage("'" + base + "' is no endpoint: a port is at most " + PORT_MAX);
        }
        try {
            Base64.getDecoder().decode(key);
        } catch (IllegalArgumentException malformed) {
            throw CommandFailure.usage("the key of account " + name + " is not base64");
        }
    }

    /** An account in path style at an endpoint such as {@code http://127.0.0.1:10002}. */
    public static TableAccount at(String endpoint, String name, String key) {
        String base = endpoint.endsWith("/") ? endpoint.substring(0, endpoint.length() - 1) : endpoint;
        return new TableAccount(name, key, uri(base.endsWith("/" + name) ? base : base + "/" + name));
    }

    /** The account that every SDK knows, for emulators; its key is no secret. */
    public static TableAccount development(String endpoint) {
        return at(endpoint, Accounts.DEVELOPMENT_ACCOUNT, Accounts.DEVELOPMENT_KEY);
    }

    /** Reads a connection string as the SDKs do; CommandFailure if it has no account key. */
    public static TableAccount ofConnectionString(String text) {
        if (isSignature(text)) {
            throw CommandFailure.usage("it holds a shared access signature, but an account's key is needed here:"
                    + " AccountName=NAME;AccountKey=KEY;TableEndpoint=http://HOST:PORT/NAME");
        }
        Map<String, String> parts = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String part : text.split(";")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                parts.put(
                        part.substring(0, equals).trim(),
                        part.substring(equals + 1).trim());
            }
        }
        if ("true".equalsIgnoreCase(parts.get("UseDevelopmentStorage"))) {
            return development("http://127.0.0.1:10002");
        }
        String name = part(parts, "AccountName");
        String key = part(parts, "AccountKey");
        String endpoint = parts.get("TableEndpoint");
        if (endpoint == null) {
            endpoint = parts.getOrDefault("DefaultEndpointsProtocol", "https") + "://" + name + ".table."
                    + parts.getOrDefault("EndpointSuffix", "core.windows.net");
        }
        return new TableAccount(
                name, key, uri(endpoint.endsWith("/") ? endpoint.substring(0, endpoint.length() - 1) : endpoint));
    }

    /** CommandFailure if no table can have this name. */
    public static void checkTable(String name) {
        if (!TableName.isLegal(name)) {
            throw CommandFailure.usage("no table can be named '" + name
                    + "': names are 3 to 63 letters and digits and begin with a letter");
        }
    }

    /** True for a URL or a connection string with a shared access signature and without a key. */
    public static boolean isSignature(String text) {
        return (SIGNATURE.matcher(text).find()
                        || SIGNED_URL.matcher(text.strip()).find())
                && !ACCOUNT_KEY.matcher(text).find();
    }

    public String connectionString() {
        return "DefaultEndpointsProtocol=" + base.getScheme() + ";AccountName=" + name + ";AccountKey=" + key
                + ";TableEndpoint=" + base + ";";
    }

    /** The value of Authorization (Shared Key Lite) for a request with this date to this path, as on the request line. */
    public String authorization(String date, String rawPath) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(key), "HmacSHA256"));
            byte[] signature = mac.doFinal((date + "\n/" + name + rawPath).getBytes(StandardCharsets.UTF_8));
            return "SharedKeyLite " + name + ":" + Base64.getEncoder().encodeToString(signature);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java has HmacSHA256", missing);
        }
    }

    private static String part(Map<String, String> parts, String name) {
        String value = parts.get(name);
        if (value == null || value.isEmpty()) {
            throw CommandFailure.usage("the connection string has no " + name);
        }
        return value;
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "TableAccount[" + name + " at " + base + "]";
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException malformed) {
            throw noEndpoint(text);
        }
    }

    private static CommandFailure noEndpoint(String text) {
        return CommandFailure.usage("'" + text + "' is no endpoint; write http://host:port/account");
    }
}
