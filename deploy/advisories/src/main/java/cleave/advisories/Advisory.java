package cleave.advisories;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.maven.artifact.versioning.ComparableVersion;

/**
 * An advisory in the form of OSV, as far as it is about packages of Maven. Immutable.
 *
 * @param names its id, then its aliases
 * @param severity a word or a vector of CVSS, as the advisory has it; empty if it has none
 */
record Advisory(List<String> names, String severity, String summary, List<Affected> affected) {
    /**
     * What it says of one package.
     *
     * @param name GROUP:ARTIFACT
     * @param versions those that it lists one by one
     */
    record Affected(String name, Set<String> versions, List<VersionRange> ranges) {
        boolean is(Library library) {
            ComparableVersion version = new ComparableVersion(library.version());
            return name.equals(library.name())
                    && (versions.contains(library.version())
                            || ranges.stream().anyMatch(range -> range.contains(version)));
        }

        private static Affected of(Json affected) {
            return new Affected(
                    affected.object("package").text("name"),
                    affected.texts("versions").collect(Collectors.toUnmodifiableSet()),
                    affected.objects("ranges")
                            .filter(range -> !range.text("type").equals("GIT"))
                            .map(VersionRange::of)
                            .toList());
        }
    }

    /** Empty if it was withdrawn, or is about no package of Maven. */
    static Optional<Advisory> of(Json json) {
        List<Affected> affected = json.objects("affected")
                .filter(each -> each.object("package").text("ecosystem").matches("Maven(:.*)?"))
                .map(Affected::of)
                .toList();
        if (json.has("withdrawn") || affected.isEmpty()) {
            return Optional.empty();
        }
        List<String> names = new ArrayList<>(List.of(json.text("id")));
        json.texts("aliases").forEach(names::add);
        String severity = json.object("database_specific").text("severity");
        if (severity.isEmpty()) {
            severity = json.objects("severity")
                    .map(each -> each.text("score"))
                    .findFirst()
                    .orElse("");
        }
        return Optional.of(new Advisory(List.copyOf(names), severity, json.text("summary"), affected));
    }

    /** The line that says that a library is affected, and which version is not; empty if it is not. */
    Optional<String> finding(Library library) {
        ComparableVersion version = new ComparableVersion(library.version());
        List<Affected> found =
                affected.stream().filter(each -> each.is(library)).toList();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        String fixed = found.stream()
                .flatMap(each -> each.ranges().stream())
                .filter(range -> range.contains(version))
                .flatMap(range -> range.fixAfter(version).stream())
                .map(fix -> "fixed in " + fix)
                .findFirst()
                .orElse("no fix is named");
        return Optional.of(library.name() + " " + library.version() + ": " + String.join(", ", names)
                + (severity.isEmpty() ? "" : " (" + severity + ")") + ": " + summary + "; " + fixed);
    }
}
