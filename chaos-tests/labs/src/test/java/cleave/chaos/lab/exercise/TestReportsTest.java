package cleave.chaos.lab.exercise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestReportsTest {
    @TempDir
    private Path folder;

    @Test
    void failuresAreToldAsSentencesEachMethodOnce() throws IOException {
        Files.writeString(folder.resolve("TEST-cleave.ATest.xml"), """
            <testsuite name="cleave.ATest">
              <testcase name="aReadJoinsNoBarrier" classname="cleave.ATest"/>
              <testcase name="aLoadRests(long)[1]" classname="cleave.ATest">
                <failure message="[seed 1]&#10;Expecting empty" type="java.lang.AssertionError">at</failure>
              </testcase>
              <testcase name="aLoadRests(long)[2]" classname="cleave.ATest"><error type="java.lang.OutOfMemoryError"/></testcase>
            </testsuite>
            """);
        Files.writeString(folder.resolve("other.txt"), "no report");

        TestReports reports = TestReports.read(folder);

        assertThat(reports.run()).isEqualTo(3);
        assertThat(reports.failed()).isEqualTo(2);
        assertThat(reports.failures())
                .containsExactly("- ATest: a load rests (2 cases)", "    [seed 1] Expecting empty");
    }

    @Test
    void withoutAFolderNothingRan() throws IOException {
        assertThat(TestReports.read(folder.resolve("absent")).run()).isZero();
    }
}
