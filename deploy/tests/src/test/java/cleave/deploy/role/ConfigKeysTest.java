package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.Known;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The table of docs/reference/settings.md has every setting of a role's process, so that a change of them is reviewed. Its last column, the
 * meaning, is written by hand; {@code -Dgolden.rewrite=true} writes the others.
 */
class ConfigKeysTest {
    private static final Path DOCUMENT = Path.of("..", "..", "docs", "reference", "settings.md");
    private static final String HEAD = "| setting | of | default | values | meaning |";

    /** Defaults that the process computes from its machine, or from another setting. */
    private static final Map<String, String> COMPUTED = Map.of(
            "front-end.bytes-in-flight", "by the heap",
            "front-end.connections", "by the heap and open files",
            "front-end.loops", "the processors",
            "seeds", "`masters`",
            "server.loops", "half the processors");

    private final SortedMap<String, Known> settings = new TreeMap<>();
    private final SortedMap<String, List<String>> roles = new TreeMap<>();

    private void add(
            String role, Map<String, String> given, Function<Settings, Function<CollectorRegistry, RunningRole>> make) {
        Settings read = new Settings(given);
        RoleCommand.admin(read);
        assertThat(make.apply(read)).isNotNull();
        read.refuseUnknown();
        read.described().forEach((key, known) -> {
            settings.putIfAbsent(key, known);
            roles.computeIfAbsent(key, absent -> new ArrayList<>()).add(role);
        });
    }

    private String row(String key, Known known, String meaning) {
        List<String> of = roles.getOrDefault(key, List.of());
        String byDefault = known.byDefault();
        String shown = byDefault == null ? "needed" : byDefault.isEmpty() ? "–" : "`" + byDefault + "`";
        return "| `" + key + "` | " + (of.size() == 4 ? "all" : String.join(", ", of)) + " | "
                + COMPUTED.getOrDefault(key, shown) + " | " + known.values() + " | " + meaning + " |";
    }

    private static String meaning(List<String> table, String key) {
        return table.stream()
                .filter(row -> row.startsWith("| `" + key + "` | "))
                .map(row -> row.split(" \\| ", 5)[4].replaceFirst(" \\|$", ""))
                .findFirst()
                .orElse("");
    }

    @Test
    void theDocumentHasAllSettingsOfAllRoles() throws IOException {
        add("master", Map.of("dfs", "file:/d"), Roles::master);
        add("server", Map.of("server.id", "s1", "server.dir", "d", "masters", "h:1", "dfs", "file:/d"), Roles::server);
        add("front-end", Map.of("masters", "h:1", "front-end.development-account", "true"), Roles::frontEnd);
        add("dfs", Map.of("dfs-node.dir", "d"), Roles::dfs);
        List<String> lines = Files.readAllLines(DOCUMENT);
        List<String> table = lines.subList(lines.indexOf(HEAD), lines.size());

        String rows = settings.entrySet().stream()
                .map(each -> row(each.getKey(), each.getValue(), meaning(table, each.getKey())) + "\n")
                .collect(Collectors.joining());
        String text = String.join("\n", lines.subList(0, lines.indexOf(HEAD))) + "\n" + HEAD
                + "\n|---|---|---|---|---|\n" + rows;
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(DOCUMENT, text);
        }

        assertThat(DOCUMENT)
                .as("run with -Dgolden.rewrite=true, write what new settings mean, and read the difference")
                .hasContent(text);
        assertThat(settings.keySet()).noneMatch(key -> meaning(table, key).isBlank());
    }
}
