package cleave.deploy.access;

import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of a running deployment, which its folder holds for other commands. Immutable.
 *
 * @param masters addresses of the admin service
 * @param endpoints of its front ends: {@code http://host:port}
 * @param tls the folder of certificates with which masters are talked to; null: in the clear
 * @param dfs the URI of a DFS that other processes can reach; null: it is within the deployment's own process
 * @param account one that may be used for trying; its key too
 */
public record Deployment(
        List<String> masters,
        List<String> endpoints,
        @Nullable Path tls,
        @Nullable String dfs,
        String account,
        String key) {
    static final String FILE = "deployment.properties";
    /** The folder that a command uses by default: standalone's. */
    public static final Path DEFAULT_FOLDER = Path.of("cleave-data");

    public Deployment {
        masters = List.copyOf(masters);
        endpoints = List.copyOf(endpoints);
    }

    /** A deployment in one process, which keeps its DFS to itself. */
    public Deployment(List<String> masters, List<String> endpoints, @Nullable Path tls, String account, String key) {
        this(masters, endpoints, tls, null, account, key);
    }

    public static boolean isIn(Path folder) {
        return Files.isReadable(folder.resolve(FILE));
    }

    public static Deployment load(Path folder) {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(folder.resolve(FILE), StandardCharsets.UTF_8)) {
            properties.load(in);
        } catch (IOException | IllegalArgumentException unreadable) {
            throw CommandFailure.usage("there is no deployment in " + folder + " (no readable " + FILE
                    + "); was it made by 'cleave standalone' or 'cleave cluster'?");
        }
        return new Deployment(
                list(properties, "masters"),
                list(properties, "endpoints"),
                properties.containsKey("tls") ? Path.of(properties.getProperty("tls")) : null,
                properties.getProperty("dfs"),
                properties.getProperty("account", ""),
                properties.getProperty("key", ""));
    }

    /** The account that may be used for trying, at the first endpoint. */
    public Endpoint tables() {
        if (endpoints.isEmpty()) {
            throw CommandFailure.usage("the deployment names no endpoints: its " + FILE
                    + " is damaged; start it again, or name the service by a connection string");
        }
        return TableAccount.at(endpoints.get(0), account, key);
    }

    /** Readable for its owner only: it holds a key. */
    public void save(Path folder) {
        String text = "# Where this deployment is reached; written at each start.\nmasters=" + String.join(",", masters)
                + "\nendpoints=" + String.join(",", endpoints)
                + (tls == null ? "" : "\ntls=" + tls.toString().replace("\\", "\\\\"))
                + (dfs == null ? "" : "\ndfs=" + dfs) + "\naccount=" + account
                + "\nkey=" + key + "\n";
        OwnersFile.write(folder.resolve(FILE), text);
    }

    public static void remove(Path folder) {
        try {
            Files.deleteIfExists(folder.resolve(FILE));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "Deployment[masters " + masters + ", endpoints " + endpoints + ", account " + account + "]";
    }

    private static List<String> list(Properties properties, String key) {
        String text = properties.getProperty(key, "");
        return text.isEmpty() ? List.of() : List.of(text.split(","));
    }
}
