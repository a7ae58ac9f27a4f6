package cleave.advisories;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdvisoriesTest {
    private static final Path DATA = Path.of("src", "test", "resources", "advisories");

    @TempDir
    private Path dir;

    private record Outcome(int status, List<String> lines) {}

    private Outcome check(Path data, String... libraries) throws IOException {
        String components = String.join(
                ",",
                Stream.of(libraries)
                        .map(library -> "{\"purl\": \"pkg:maven/" + library + "?type=jar\"}")
                        .toList());
        Path bill = Files.writeString(dir.resolve("bill"), "{\"components\": [" + components + "]}");
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        int status = Advisories.run(bill, data, new PrintStream(printed, true, StandardCharsets.UTF_8));
        return new Outcome(
                status, printed.toString(StandardCharsets.UTF_8).lines().toList());
    }

    @Test
    void anAffectedLibraryIsNamedWithTheFirstVersionThatIsNot() throws IOException {
        assertThat(check(DATA, "example/branches@2.0.3", "example/other@1"))
                .isEqualTo(new Outcome(
                        1,
                        List.of(
                                "example:branches 2.0.3: TEST-1, CVE-2020-1 (HIGH): Reads too much; fixed in 2.0.4",
                                "1 of 4 advisories concern the 2 libraries")));
    }

    @Test
    void nothingAffectedIsStatusZero() throws IOException {
        assertThat(check(DATA, "example/branches@2.0.4"))
                .isEqualTo(new Outcome(0, List.of("0 of 4 advisories concern the 1 libraries")));
    }

    @ParameterizedTest
    @CsvSource({
        // Several events: introduced at once, fixed in 1.4.2; again from 2.0.0 to before 2.0.4.
        "branches, 0.9-alpha, true",
        "branches, 1.4.1, true",
        "branches, 1.4.2-rc1, true",
        "branches, 1.4.2, false",
        "branches, 1.10, false",
        "branches, 2.0.0-M1, false",
        "branches, 2.0, true",
        "branches, 2.0.0.Final, true",
        "branches, 2.0.4.Final, false",
        // The last one that is affected, and a limit.
        "last, 3.0, true",
        "last, 3.0.1, false",
        "last, 4.0, true",
        "last, 4.5, false",
        // One by one: no order is needed.
        "listed, r7-jre, true",
        "listed, r8-jre, false",
        // No more.
        "withdrawn, 1.0, false",
        // Of npm, and of a range of commits.
        "elsewhere, 1.0, false",
        "commits, 1.0, false",
    })
    void versionsAreComparedInMavensOrder(String artifact, String version, boolean affected) throws IOException {
        assertThat(check(DATA, "example/" + artifact + "@" + version).status()).isEqualTo(affected ? 1 : 0);
    }

    @Test
    void aZipIsReadLikeAFolder() throws IOException {
        Path zip = dir.resolve("all.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            out.putNextEntry(new ZipEntry("TEST-1.json"));
            Files.copy(DATA.resolve("maven/TEST-1.json"), out);
        }
        assertThat(check(zip, "example/branches@1.0").status()).isEqualTo(1);
    }

    @Test
    void whatCannotBeReadIsNoCleanBillOfHealth() throws IOException {
        assertThat(check(dir.resolve("none"), "example/branches@1.0"))
                .isEqualTo(new Outcome(2, List.of("not checked: there is no " + dir.resolve("none"))));
        Path empty = Files.createDirectory(dir.resolve("empty"));
        assertThat(check(empty, "example/branches@1.0"))
                .isEqualTo(
                        new Outcome(2, List.of("not checked: " + empty + " has no advisory about a package of Maven")));
        Path broken = Files.writeString(empty.resolve("broken.json"), "{");
        assertThat(check(empty, "example/branches@1.0").lines().get(0))
                .startsWith("not checked: " + broken + " is no JSON: ");
        Files.writeString(broken, "{}");
        assertThat(check(empty, "example/branches@1.0").lines())
                .containsExactly("not checked: " + broken + " is no advisory in the form of OSV: it has no id");
        assertThat(check(DATA).status()).isEqualTo(2);
    }
}
