package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.load.workload.Workload;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkloadsTest {
    @TempDir
    private Path dir;

    @Test
    void everyBuiltInWorkloadIsRightAndSaysWhatItDoes() {
        assertThat(Workloads.NAMES)
                .allSatisfy(name ->
                        assertThat(Workloads.builtIn(name).description()).isNotEmpty());
    }

    @Test
    void everyFileIsListed() throws IOException {
        Path folder = Path.of("..", "src", "main", "resources", "cleave", "chaos", "load", "workload");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".properties")))
                    .containsExactlyInAnyOrderElementsOf(Workloads.NAMES.stream()
                            .map(name -> name + ".properties")
                            .toList());
        }
    }

    @Test
    void aFileIsAWorkloadToo() throws IOException {
        Path file = Files.writeString(dir.resolve("mine.properties"), "mix.get=1");

        assertThat(Workloads.of(file.toString())).extracting(Workload::name).isEqualTo("mine");
        assertThat(Workloads.of("GET").name()).isEqualTo("get");
    }

    @Test
    void whatIsNeitherIsRefusedWithWhatThereIs() throws IOException {
        Path wrong = Files.writeString(dir.resolve("wrong.properties"), "mix.gat=1");

        assertThatThrownBy(() -> Workloads.of("ycsb"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("no workload 'ycsb'")
                .hasMessageContaining("ycsb-a");
        assertThatThrownBy(() -> Workloads.of(wrong.toString()))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("wrong.properties: mix.gat is no operation");
    }
}
