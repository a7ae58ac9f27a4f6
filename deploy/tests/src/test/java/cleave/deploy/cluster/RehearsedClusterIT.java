package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsedClusterIT {
    @Test
    void aClusterInThisProcessSplitsAndTakesRangesOver(@TempDir Path folder) {
        RehearsedCluster.run(folder);

        assertThat(folder.resolve("dfs-1/data")).isNotEmptyDirectory();
        assertThat(folder.resolve("server-1/data")).isDirectory();
        assertThat(folder.resolve("server-2/data")).isDirectory();
    }
}
