package cleave.chaos.ycsb;

import cleave.client.ConnectionString;
import cleave.client.Endpoint;
import cleave.client.Sas;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the Table service from YCSB's properties and the environment. Immutable. A wrong one is an IllegalArgumentException that
 * names the property and what is right, and never repeats a key or signature.
 *
 * @param patience for connecting, and for each read while waiting for an answer
 */
record Settings(Endpoint endpoint, String table, Partitions partitions, Insertion insertion, Duration patience) {
    /** Names a file with a connection string: a key on the command line would be visible to everyone on the machine. */
    static final String CONNECTION_FILE = "cleave.connection-file";

    static final String ENDPOINT = "cleave.endpoint";
    static final String PARTITIONS = "cleave.partitions";
    static final String INSERT = "cleave.insert";
    static final String TIMEOUT = "cleave.timeout-seconds";

    /** Holds a connection string. */
    static final String VARIABLE = "CLEAVE_CONNECTION_STRING";

    /** CoreWorkload's. */
    static final String TABLE = "table";

    private static final String PREFIX = "cleave.";
    private static final Set<String> KNOWN = Set.of(CONNECTION_FILE, ENDPOINT, PARTITIONS, INSERT, TIMEOUT);
    private static final String DEFAULT_ENDPOINT = "http://127.0.0.1:10002";
    private static final int TIMEOUT_SECONDS_MAX = 86_400;

    static Settings of(Properties properties, Map<String, String> environment) {
        refuseUnknown(properties);
        String table = properties.getProperty(TABLE, "usertable");
        return new Settings(
                serviceOf(endpoint(properties, environment), table),
                table,
                new Partitions(number(properties, PARTITIONS, 100, 0, 1_000_000)),
                insertion(properties),
                Duration.ofSeconds(number(properties, TIMEOUT, 60, 1, TIMEOUT_SECONDS_MAX)));
    }

    private static void refuseUnknown(Properties properties) {
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (name.startsWith(PREFIX) && !KNOWN.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no property " + name + "; there are " + String.join(", ", new TreeSet<>(KNOWN)));
            }
        }
    }

    private static Endpoint endpoint(Properties properties, Map<String, String> environment) {
        String url = properties.getProperty(ENDPOINT);
        String file = properties.getProperty(CONNECTION_FILE);
        if (url != null && file != null) {
            throw new IllegalArgumentException(
                    ENDPOINT + " and " + CONNECTION_FILE + " name two endpoints; give one of them");
        }
        if (url != null) {
            return development(url);
        }
        if (file != null) {
            return parsed(CONNECTION_FILE + " " + file, text(file));
        }
        String given = environment.get(VARIABLE);
        return given == null ? development(DEFAULT_ENDPOINT) : parsed(VARIABLE, given);
    }

    /** The URL of a table's signature ends with the table, and not with the service. */
    private static Endpoint serviceOf(Endpoint found, String table) {
        String ofTable = "/" + table;
        if (!(found.credential() instanceof Sas) || !found.prefix().endsWith(ofTable)) {
            return found;
        }
        String prefix = found.prefix().substring(0, found.prefix().length() - ofTable.length());
        return found.as(prefix, found.credential());
    }

    private static Endpoint development(String url) {
        try {
            URI uri = new URI(url);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (isHttp && uri.getHost() != null && uri.getPort() > 0) {
                return Endpoint.development(uri);
            }
        } catch (URISyntaxException malformed) {
            // Said below.
        }
        throw new IllegalArgumentException(ENDPOINT + "=" + url
                + " is no endpoint; write http://HOST:PORT. For an account of your own give " + CONNECTION_FILE);
    }

    private static String text(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException | InvalidPathException unreadable) {
            throw new IllegalArgumentException(
                    CONNECTION_FILE + ": there is no readable connection string in " + file + ": "
                            + unreadable.getMessage(),
                    unreadable);
        }
    }

    private static Endpoint parsed(String source, String text) {
        try {
            return ConnectionString.parse(text);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(source + ": " + wrong.getMessage(), wrong);
        }
    }

    private static int number(Properties properties, String name, int otherwise, int min, int max) {
        @Nullable String text = properties.getProperty(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Said below.
        }
        throw new IllegalArgumentException(
                name + "=" + text + " is wrong; it must be a whole number from " + min + " to " + max);
    }

    private static Insertion insertion(Properties properties) {
        String text = properties.getProperty(INSERT, "insert").strip();
        for (Insertion insertion : Insertion.values()) {
            if (insertion.name().toLowerCase(Locale.ROOT).equals(text)) {
                return insertion;
            }
        }
        throw new IllegalArgumentException(INSERT + "=" + text + " is wrong; it must be insert or upsert");
    }
}
