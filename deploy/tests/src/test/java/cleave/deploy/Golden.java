package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text that is compared with a file of the test resources; {@code -Dgolden.rewrite=true} writes the file, to be reviewed. */
public final class Golden {
    private static final Path FOLDER = Path.of("src", "test", "resources", "cleave", "deploy", "golden");

    private Golden() {}

    public static void check(String name, String text) throws IOException {
        Path file = FOLDER.resolve(name);
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, text);
        }
        assertThat(text).as("against %s", file).isEqualTo(Files.readString(file));
    }
}
