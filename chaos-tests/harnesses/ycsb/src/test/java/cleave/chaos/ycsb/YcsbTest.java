package cleave.chaos.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class YcsbTest {
    private static final String BINDING = "cleave.chaos.ycsb.TableBinding";

    @TempDir
    private Path dir;

    @Test
    void argumentsOverrideFilesAndLaterFilesEarlierOnes() throws IOException {
        Path first = Files.writeString(dir.resolve("first"), "a=1\nb=1\nc=1\n");
        Path second = Files.writeString(dir.resolve("second"), "b=2\nc=2\n");

        assertThat(Ycsb.properties(new String[] {"-p", "c=3=3", "-t", "-P", "" + first, "-s", "-P", "" + second}))
                .isEqualTo(Map.of("a", "1", "b", "2", "c", "3=3"));
    }

    @Test
    void theBindingIsAddedUnlessOneIsNamed() {
        assertThat(Ycsb.withBinding(new String[] {"-t"})).containsExactly("-db", BINDING, "-t");
        assertThat(Ycsb.withBinding(new String[] {"-db", "x.Y"})).containsExactly("-db", "x.Y");
        assertThat(Ycsb.withBinding(new String[] {"-p", "db=x.Y"})).containsExactly("-p", "db=x.Y");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> Ycsb.properties(new String[] {"-P", "/nowhere/workloada"}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("-P /nowhere/workloada: there is no readable properties file");
    }
}
