package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.system.StandaloneSystem;
import cleave.client.Endpoint;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Labs that are broken as pages propose under "Now break it", where that is the change of a line: they go on to the report, in which a claim fails. */
@ExtendWith(StandaloneSystem.class)
@Tag("nightly")
class BreakItIT {
    @TempDir
    private Path dir;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
        order-and-padding | {i:8}                                       | {i:2}
        query-classes     | 'Sales' and LastName eq                     | 'Sales' or LastName eq
        secondary-index   | empid_{e.RowKey}                            | empid_{number(e.RowKey)}
        index-entities    | "Jones" if read.etag                        | "Jones"
        compound-key      | empid_{e.RowKey}                            | empid_{number(e.RowKey)}
        data-series       | merge messages "Sales_000002", "20140801" with H10 | replace messages "Sales_000002", "20140801" with H10
        several-types     | merge byProperty "Sales", "000000" if read.etag with EmployeeCount = read | replace byProperty "Sales", "000000" if read.etag with EmployeeCount = read
        foot-races        | AGE:{21 + i % 60:3}                         | AGE:{21 + i % 60}
        """)
    void aLabThatIsBrokenAsItsPageProposesFailsByAClaim(String lab, String from, String to, Endpoint endpoint) {
        LabCard card = Labs.named(lab).card();
        assertThat(card.page()).contains(from);
        Lab broken = LabPage.read(card.file(), card.page().replace(from, to));

        Report report = LabRun.run(broken, LabSystem.of(endpoint), BlobStores.inFolder(dir), true, line -> {});

        assertThat(report.claims()).anyMatch(claim -> !claim.holds());
        Page.of(report);
    }
}
