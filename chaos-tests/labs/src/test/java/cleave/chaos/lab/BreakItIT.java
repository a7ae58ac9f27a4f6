package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.system.StandaloneSystem;
import cleave.client.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What pages propose under "Now break it", where that is the change of a line: the lab goes on to its report, in which a claim fails. */
@ExtendWith(StandaloneSystem.class)
@Tag("nightly")
class BreakItIT {
    private static final Path SOURCES = Path.of("src", "main", "java", "cleave", "chaos", "lab");

    private static final LabCard CARD = Labs.all().get(0).card();

    @TempDir
    private Path dir;

    /** Loads labs and what belongs to them anew, the changed classes among them; all else is that of the tests. */
    private static final class Changed extends ClassLoader {
        private static final List<String> LABS =
                List.of("cleave.chaos.lab.partitioning.", "cleave.chaos.lab.patterns.", "cleave.chaos.lab.data.");

        private final Path classes;

        Changed(Path classes) {
            super(BreakItIT.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (LABS.stream().noneMatch(name::startsWith)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String file = name.replace('.', '/') + ".class";
            try (InputStream in = Files.exists(classes.resolve(file))
                    ? Files.newInputStream(classes.resolve(file))
                    : getParent().getResourceAsStream(file)) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        partitioning.OrderAndPadding   | partitioning/OrderAndPadding | "%08d"                                   | "%02d"
        partitioning.QueryClasses      | partitioning/QueryClasses    | 'Sales' and LastName eq 'Smith'          | 'Sales' or LastName eq 'Smith'
        patterns.SecondaryIndexLab     | data/Employees               | "%06d"                                   | "%d"
        patterns.IndexEntitiesLab      | patterns/IndexEntitiesLab    | LabWrite.replace(added(list, id))        | LabWrite.replace(added(list.at("Sales", "Jones"), id))
        patterns.CompoundKeyLab        | data/Employees               | "%06d"                                   | "%d"
        patterns.DataSeriesLab         | patterns/DataSeriesLab       | LabWrite.merge(key.with("H10", 100))     | LabWrite.replace(key.with("H10", 100))
        patterns.SeveralTypesLab       | patterns/SeveralTypesLab     | LabWrite.merge(count.with("EmployeeCount", read | LabWrite.replace(count.with("EmployeeCount", read
        patterns.FootRacesLab          | data/Race                    | AGE:%03d__                               | AGE:%d__
        """)
    void aLabThatIsBrokenAsItsPageProposesFailsByAClaim(
            String lab, String file, String from, String to, Endpoint endpoint) throws Exception {
        Path source = SOURCES.resolve(file + ".java");
        String text = Files.readString(source);
        assertThat(text).contains(from);
        Path classes = MutatedSource.compiled(source.getFileName().toString(), text.replace(from, to), dir);
        var made = new Changed(classes).loadClass("cleave.chaos.lab." + lab).getDeclaredConstructor();
        made.setAccessible(true);

        Report report = Session.run(
                new Lab(CARD, (Experiment) made.newInstance()),
                LabSystem.of(endpoint),
                BlobStores.inFolder(dir),
                true,
                line -> {});

        assertThat(report.claims()).anyMatch(claim -> !claim.holds());
        Page.of(report);
    }
}
