package cleave.deploy.backup.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderPlaceTest {
    @TempDir
    private Path dir;

    /** Others may be unreadable, such as the one that a mounted disk has. */
    @Test
    void onlyItsOwnFoldersAreMadeDurable() throws IOException {
        Path rootOnly = Files.createDirectories(dir.resolve("lost+found"));
        try (FolderPlace place = new FolderPlace(dir)) {
            place.add("data/ranges/1.0/f", 1, null, out -> out.write(1));
            assertThat(place.foldersToSync())
                    .contains(dir, dir.resolve("data/ranges/1.0"))
                    .doesNotContain(rootOnly);
            assertThat(place.top()).containsExactly("data");
        }
    }

    @Test
    void aFileWithAnotherChecksumThanExpectedIsNotAdded() throws IOException {
        try (FolderPlace place = new FolderPlace(dir)) {
            int checksum = place.add("data/f", 1, 7, out -> out.write(1));
            assertThat(checksum).isNotEqualTo(7);
            assertThat(place.below("data")).isEmpty();
            assertThat(place.add("data/f", 1, checksum, out -> out.write(1))).isEqualTo(checksum);
            assertThat(place.below("data")).containsOnlyKeys(BackupPlace.named("data/f", checksum));
        }
    }
}
