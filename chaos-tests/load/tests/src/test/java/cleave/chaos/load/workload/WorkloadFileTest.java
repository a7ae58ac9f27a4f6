package cleave.chaos.load.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadFileTest {
    private static Workload parse(String text) {
        return WorkloadFile.parse("mine", "/tmp/mine.properties", text);
    }

    @Test
    void whatIsNotSaidHasADefault() {
        Workload workload = parse("mix.get=2\nmix.merge=1");

        assertThat(workload.mix()).hasToString("67% get, 33% merge");
        assertThat(workload.shape()).isEqualTo(new Shape(100, 100, 10, 500));
        assertThat(workload.distribution()).isEqualTo(Distribution.UNIFORM);
        assertThat(workload.layout()).isEqualTo(Layout.SPREAD);
        assertThat(workload.zipfianConstant()).isEqualTo(0.99);
    }

    @Test
    void whatIsSaidCounts() {
        Workload workload = parse("""
            mix.table-scan = 1
            distribution = latest
            distribution.zipfian-constant = 0.5
            layout = time-buckets
            layout.buckets = 4
            partitions = 8
            rows = 3
            entity-bytes = 1000
            page-rows = 7
            transaction-operations = 9
            scan-entities = 11
            scan-filter = Count lt 5
            insert-partition-prefix = new
            description = mine
            """);

        assertThat(workload)
                .isEqualTo(new Workload(
                        "mine",
                        "mine",
                        workload.mix(),
                        Distribution.LATEST,
                        0.5,
                        0.8,
                        Layout.TIME_BUCKETS,
                        new Shape(8, 3, 4, 1000),
                        "new",
                        7,
                        9,
                        11,
                        "Count lt 5"));
        assertThat(workload.mix().has(Action.TABLE_SCAN)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        mix.gett=1                          | mix.gett is no operation; those are mix.get, mix.insert
        rate=5                              | rate is unknown; known are description, distribution
        rows=5                              | mix.OPERATION is missing; give at least one weight above 0, such as mix.get=1
        mix.get=-1                          | mix.get is '-1', but must be a number from 0 to 1000000000
        mix.get=1;rows=many                 | rows is 'many', but must be a whole number from 1 to 1000000
        mix.get=1;rows=0                    | rows is '0', but must be a whole number from 1 to 1000000
        mix.get=1;rows=5;rows=6             | rows is there twice
        mix.get=1;layout=random             | layout is 'random', but must be one of spread, append, prepend, hashed, time-buckets
        mix.get=1;distribution=normal       | distribution is 'normal', but must be one of uniform, zipfian, latest, hot
        mix.get=1;distribution.hot-share=1  | distribution.hot-share has a meaning with distribution=hot only
        mix.get=1;insert-partition-prefix=a b| insert-partition-prefix is 'a b', but must be 1 to 20 letters and digits
        mix.get=1;layout=time-buckets;layout.buckets=3 | partitions is 100, but must be a multiple of layout.buckets, which is 3
        mix.get=1;transaction-operations=101| transaction-operations is '101', but must be a whole number from 1 to 100
        mix.get=1;description=\\u12         | no properties file
        """)
    void whatIsWrongIsToldWithItsFileItsKeyAndWhatIsRight(String lines, String message) {
        assertThatThrownBy(() -> parse(lines.replace(';', '\n')))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("/tmp/mine.properties: ")
                .hasMessageContaining(message);
    }
}
