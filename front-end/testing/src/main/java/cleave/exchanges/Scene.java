package cleave.exchanges;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Exchanges that follow each other, on an account of their own. Immutable.
 *
 * @param file name without its ending
 * @param line where it begins in the file
 * @param name unique in its file
 * @param account its own, or that of the scene before, which it continues
 * @param traits {@code continues}, {@code https}, {@code socket}, {@code orders}, and options of its account such as {@code state=disabled}
 */
public record Scene(String file, int line, String name, String account, List<String> traits, List<Exchange> exchanges) {
    private static final Pattern PARTITION = Pattern.compile("\"PartitionKey\":\"([^\"]*)\"");
    private static final Pattern INSERT = Pattern.compile("POST /(?!Tables)([A-Za-z0-9]+)");

    public Scene {
        traits = List.copyOf(traits);
        exchanges = List.copyOf(exchanges);
    }

    /** True if it is played over TLS. */
    public boolean isSecure() {
        return traits.contains("https");
    }

    /** True if it shows what only a socket can show. */
    public boolean needsSocket() {
        return traits.contains("socket");
    }

    /** The partitions of each table that the scene begins with, but the first, where the table has several. */
    public Map<String, SortedSet<String>> splits() {
        Map<String, SortedSet<String>> tables = new TreeMap<>();
        exchanges.stream().takeWhile(Exchange::prepares).forEach(exchange -> {
            Matcher insert = INSERT.matcher(exchange.request());
            Matcher partition = PARTITION.matcher(exchange.sent().body());
            if (insert.matches() && partition.find()) {
                tables.computeIfAbsent(insert.group(1), table -> new TreeSet<>())
                        .add(partition.group(1));
            }
        });
        tables.values().forEach(partitions -> partitions.remove(partitions.first()));
        tables.values().removeIf(Set::isEmpty);
        return tables;
    }

    /** The accounts of these scenes, in their order. */
    public static SortedSet<String> accountsOf(List<Scene> scenes) {
        return new TreeSet<>(scenes.stream().map(Scene::account).toList());
    }

    /** The file of accounts that these scenes need. */
    public static List<String> accountsFile(List<Scene> scenes) {
        List<String> lines = new ArrayList<>();
        for (Scene scene : scenes) {
            scene.traits().stream()
                    .filter(trait -> trait.contains("="))
                    .forEach(option -> lines.add(scene.account() + "." + option));
        }
        for (String account : accountsOf(scenes)) {
            lines.add(account + "=" + Signing.KEYS.get("first"));
            lines.add(account + "=" + Signing.KEYS.get("second"));
        }
        return lines;
    }

    /** {@code tables/create}. */
    public String id() {
        return file + "/" + name.replace(' ', '-');
    }

    /** The name of the account of a scene that continues none. */
    static String accountOf(String file, String name) {
        return (file + "-" + name).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    /**
     * One request and the whole answer that it must get. Immutable.
     *
     * @param line where it begins in the file
     * @param authorization how the request is signed; empty: it only prepares the scene, and any success will do
     * @param request of the request line: method and target
     * @param status of the answer: code and reason
     */
    public record Exchange(
            int line, String authorization, String request, Message sent, String status, Message expected) {
        public boolean prepares() {
            return authorization.isEmpty();
        }
    }

    /**
     * Headers and body, as the file writes them. Immutable.
     *
     * @param body lines end in CR LF
     */
    public record Message(List<String> headers, String body) {
        public Message {
            headers = List.copyOf(headers);
        }
    }
}
