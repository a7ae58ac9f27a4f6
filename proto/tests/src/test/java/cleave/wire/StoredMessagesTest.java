package cleave.wire;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.FeatureLevels;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Every field of every message that is stored or replicated is in a list, with the version of its format that brought it. A new field is a
 * new version, or belongs to one that is not released. A field that was stored once is never removed or changed.
 */
final class StoredMessagesTest {
    private static final Path LIST = Path.of("src/test/resources/stored-fields.txt");
    private static final Path MODULES = Path.of("..", "..");

    /** A format, its message, and the version that is written now. */
    private record Format(String name, Descriptor message, int version) {}

    private static final List<Format> FORMATS = List.of(
            new Format("master-command", MasterCommand.getDescriptor(), FeatureLevels.SUPPORTED.max()),
            new Format("master-snapshot", MasterSnapshot.getDescriptor(), FeatureLevels.SUPPORTED.max()),
            new Format("manifest", ManifestFile.getDescriptor(), 3),
            new Format("backup-index", BackupIndexFile.getDescriptor(), 1),
            new Format("registry-row", StoredPolicies.getDescriptor(), 1),
            new Format("node-checkpoint", NodeCheckpoint.getDescriptor(), 2),
            new Format("node-journal", NamesCommand.getDescriptor(), 1));

    private static Map<String, Integer> now() {
        Map<String, Integer> fields = new LinkedHashMap<>();
        for (Format format : FORMATS) {
            TreeSet<String> told = new TreeSet<>();
            describe(format.message(), told, new TreeSet<>());
            told.forEach(field -> fields.put(format.name() + " " + field, format.version()));
        }
        return fields;
    }

    private static void describe(Descriptor message, Set<String> told, Set<String> seen) {
        if (!seen.add(message.getName())) {
            return;
        }
        for (FieldDescriptor field : message.getFields()) {
            told.add("%s %d %s %s%s"
                    .formatted(
                            message.getName(),
                            field.getNumber(),
                            field.getName(),
                            field.isRepeated() ? "repeated " : "",
                            field.getType().name()));
            if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                describe(field.getMessageType(), told, seen);
            } else if (field.getJavaType() == FieldDescriptor.JavaType.ENUM) {
                for (EnumValueDescriptor value : field.getEnumType().getValues()) {
                    told.add("%s %d %s".formatted(field.getEnumType().getName(), value.getNumber(), value.getName()));
                }
            }
        }
    }

    /** In the list, the fields that came to a message together stand in one line, behind their version. */
    private static Map<String, Integer> listed() throws IOException {
        Map<String, Integer> listed = new LinkedHashMap<>();
        FieldLists.read(Files.exists(LIST) ? Files.readString(LIST) : "").forEach((owner, fields) -> {
            String[] words = owner.split(" "); // Format, message and version.
            fields.forEach(field -> listed.put(words[0] + " " + words[1] + " " + field, Integer.parseInt(words[2])));
        });
        return listed;
    }

    @Test
    void everyFieldIsListedWithTheVersionThatBroughtIt() throws IOException {
        Map<String, Integer> now = now();
        if (Boolean.getBoolean("golden.new")) {
            add(now);
        }
        assertThat(listed().keySet())
                .as(
                        "what is stored has changed: a new field belongs to a version of its format (-Dgolden.new=true adds it"
                                + " under the one that is written now), and an old one stays as it is; see docs/upgrades.md")
                .containsExactlyInAnyOrderElementsOf(now.keySet());
    }

    private static void add(Map<String, Integer> now) throws IOException {
        Map<String, Integer> all = new TreeMap<>(listed());
        now.forEach(all::putIfAbsent);
        Map<String, List<String>> lists = new TreeMap<>();
        all.forEach((field, version) -> {
            String[] words = field.split(" ", 3);
            lists.computeIfAbsent(words[0] + " " + words[1] + " " + version, owner -> new ArrayList<>())
                    .add(words[2]);
        });
        List<String> lines = new ArrayList<>();
        lists.forEach((owner, fields) -> lines.add(FieldLists.written(owner, fields)));
        Files.write(LIST, lines);
    }

    @Test
    void noFieldIsOfAVersionThatIsNotWritten() throws IOException {
        Map<String, Integer> listed = listed();
        now().forEach((field, version) ->
                assertThat(listed.getOrDefault(field, version)).as(field).isBetween(1, version));
    }

    @Test
    void everyVersionHasGoldenFiles() throws IOException {
        for (Map.Entry<String, Integer> field : listed().entrySet()) {
            String format = field.getKey().substring(0, field.getKey().indexOf(' '));
            assertThat(hasGoldenFiles(format, field.getValue()))
                    .as(
                            "golden files of %s format %s, in some module's src/test/resources/formats",
                            format, field.getValue())
                    .isTrue();
        }
    }

    private static boolean hasGoldenFiles(String format, int version) throws IOException {
        try (var modules = Files.walk(MODULES, 2)) {
            return modules.anyMatch(module -> Files.isDirectory(
                    module.resolve("src/test/resources/formats").resolve(format).resolve(Integer.toString(version))));
        }
    }
}
