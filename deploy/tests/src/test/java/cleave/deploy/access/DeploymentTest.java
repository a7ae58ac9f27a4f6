package cleave.deploy.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeploymentTest {
    @TempDir
    private Path dir;

    private static final Deployment DEPLOYMENT = new Deployment(
            List.of("h:1", "h:2"),
            List.of("http://h:3"),
            Path.of("/etc/certificates"),
            "dfs:h:4",
            "cleave",
            "a2V5PQ==");

    @Test
    void isReadAsItWasSaved() {
        DEPLOYMENT.save(dir);

        assertThat(Deployment.isIn(dir)).isTrue();
        assertThat(Deployment.load(dir)).isEqualTo(DEPLOYMENT);
    }

    @Test
    void itsKeyIsReadableForItsOwnerOnly() throws IOException {
        DEPLOYMENT.save(dir);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("deployment.properties"))))
                .isEqualTo("rw-------");
    }

    @Test
    void removedItIsGone() {
        DEPLOYMENT.save(dir);
        Deployment.remove(dir);
        Deployment.remove(dir);

        assertThat(Deployment.isIn(dir)).isFalse();
        assertThatThrownBy(() -> Deployment.load(dir))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(dir.toString());
    }
}
